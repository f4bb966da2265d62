// PACKAGE: jansson
// SOURCES: src/dump.c src/error.c src/hashtable.c src/hashtable_seed.c src/load.c src/memory.c src/strbuffer.c src/strconv.c src/utf.c src/value.c
// FLAGS: -Isrc -DHAVE_STDINT_H=1
// INPUT: 8
#include <stddef.h>
#include <stdint.h>
#include <jansson.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  json_error_t error;
  json_object_seed(7);
  json_t *json = json_loadb((const char *)data, size, JSON_DECODE_ANY, &error);
  json_decref(json);
  return 0;
}
