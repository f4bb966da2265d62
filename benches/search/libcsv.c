// PACKAGE: libcsv
// SOURCES: libcsv.c
// FLAGS: -I.
// INPUT: 10
#include <stddef.h>
#include <stdint.h>
#include "csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct csv_parser parser;
  if (csv_init(&parser, size && data[0] & 1 ? CSV_STRICT : 0)) return 0;
  csv_parse(&parser, data, size, NULL, NULL, NULL);
  csv_fini(&parser, NULL, NULL, NULL);
  csv_free(&parser);
  return 0;
}
