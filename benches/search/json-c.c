// PACKAGE: json-c
// SOURCES: arraylist.c debug.c json_object.c json_tokener.c json_util.c libjson.c linkhash.c printbuf.c random_seed.c strerror_override.c
// FLAGS: -I.
// INPUT: 8
#include <stddef.h>
#include <stdint.h>
#include "json_object.h"
#include "json_tokener.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct json_tokener *tokener = json_tokener_new();
  json_object_put(json_tokener_parse_ex(tokener, (const char *)data, (int)size));
  json_tokener_free(tokener);
  return 0;
}
