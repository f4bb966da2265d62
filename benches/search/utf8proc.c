// PACKAGE: utf8proc
// SOURCES: utf8proc.c
// FLAGS: -I.
// INPUT: 6
#include <stdlib.h>
#include "utf8proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  utf8proc_uint8_t *out = NULL;
  utf8proc_map(data, size, &out, UTF8PROC_COMPOSE | UTF8PROC_STABLE | UTF8PROC_CASEFOLD | UTF8PROC_CHARBOUND);
  free(out);
  return 0;
}
