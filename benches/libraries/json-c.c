// PACKAGE: json-c
// SOURCES: json_util.c arraylist.c debug.c json_object.c json_tokener.c libjson.c linkhash.c printbuf.c random_seed.c strerror_override.c
// FLAGS: -I.
// CASES: number positive boolean string
#include "json_object.h"
#include "json_tokener.h"
#include "json_util.h"
#include "text.h"

static int number(char *s) {
  int64_t value;
  return json_parse_int64(s, &value) ? 1 : value < 0 ? 2 : 0;
}

static int positive(char *s) {
  uint64_t value;
  return json_parse_uint64(s, &value) ? 1 : 0;
}

static int boolean(char *s) {
  struct json_object *object = json_object_new_string(s);
  return json_object_get_boolean(object);
}

static int string(char *s) {
  struct json_object *object = json_object_new_string(s);
  return json_object_to_json_string(object)[1] == '\\';
}

int main(void) { return CASE(text()); }
