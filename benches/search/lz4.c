// PACKAGE: lz4
// SOURCES: lib/lz4.c
// FLAGS: -Ilib -DLZ4_FORCE_MEMORY_ACCESS=0
// INPUT: 12
#include <stddef.h>
#include <stdint.h>
#include "lz4.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char out[64];
  LZ4_decompress_safe((const char *)data, out, (int)size, sizeof out);
  return 0;
}
