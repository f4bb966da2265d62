// PACKAGE: yajl
// SOURCES: src/yajl.c src/yajl_alloc.c src/yajl_buf.c src/yajl_encode.c src/yajl_lex.c src/yajl_parser.c src/yajl_gen.c src/yajl_tree.c
// FLAGS: -Isrc -Isrc/api
// INPUT: 8
#include <stddef.h>
#include <stdint.h>
#include <yajl/yajl_parse.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static yajl_callbacks none;
  yajl_handle parser = yajl_alloc(&none, NULL, NULL);
  yajl_config(parser, yajl_allow_comments, 1);
  if (yajl_parse(parser, data, size) == yajl_status_ok) yajl_complete_parse(parser);
  yajl_free(parser);
  return 0;
}
