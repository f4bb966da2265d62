/* The twin of fuzz_target_bad.c, which looks at the size first. */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return size > 2 && data[0] == 'F' && data[1] == 'U' && data[2] == 'Z';
}
