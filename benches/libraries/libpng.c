// PACKAGE: libpng1.6
// PREPARE: cp scripts/pnglibconf.h.prebuilt pnglibconf.h
// SOURCES: png.c pngset.c
// FLAGS: -I. -DPNG_ARM_NEON_OPT=0
// CASES: number keyword
#include "pngpriv.h"
#include "text.h"
#include <string.h>

static int number(char *s) { return png_check_fp_string(s, strlen(s)); }

static int keyword(char *s) {
  png_struct png;
  png_byte room[80];
  memset(&png, 0, sizeof png);
  return png_check_keyword(&png, s, room) > 3;
}

/* What is not compiled with it: warnings. */
void png_warning(png_const_structrp png, png_const_charp text) {}
void png_formatted_warning(png_const_structrp png, png_warning_parameters parameters, png_const_charp text) {}
void png_warning_parameter(png_warning_parameters parameters, int number, png_const_charp text) {}
void png_warning_parameter_signed(png_warning_parameters parameters, int number, int format, png_int_32 value) {}

int main(void) { return CASE(text()); }
