// PACKAGE: busybox
// PREPARE: make allnoconfig HOSTCC=clang-19 CC=clang-19
// SOURCES: libbb/trim.c libbb/skip_whitespace.c libbb/process_escape_sequence.c libbb/get_last_path_component.c libbb/last_char_is.c libbb/percent_decode.c libbb/endofname.c
// FLAGS: -Iinclude -include include/autoconf.h -std=gnu99 -D_GNU_SOURCE -DBB_VER="0"
// CASES: strip escape component percent name
#include "libbb.h"
#include "text.h"

const char bb_hexdigits_upcase[] ALIGN1 = "0123456789ABCDEF";

static int strip(char *s) {
  trim(s);
  return *skip_whitespace(s) != 0;
}

static int escape(char *s) {
  const char *p = s;
  int last = 0;
  while (*p) {
    last = *p++;
    if (last == '\\')
      last = bb_process_escape_sequence(&p);
  }
  return last == 'x';
}

static int component(char *s) { return *bb_get_last_path_component_strip(s) != 0; }

static int percent(char *s) { return percent_decode_in_place(s, 1) == NULL; }

static int name(char *s) { return *endofname(s) == '='; }

int main(void) { return CASE(text()); }
