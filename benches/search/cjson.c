// PACKAGE: cjson
// SOURCES: cJSON.c
// FLAGS: -I.
// INPUT: 10
#include <stddef.h>
#include <stdint.h>
#include "cJSON.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  cJSON *json = cJSON_ParseWithLength((const char *)data, size);
  char *text = cJSON_PrintUnformatted(json);
  cJSON_free(text);
  cJSON_Delete(json);
  return 0;
}
