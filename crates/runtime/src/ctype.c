/* Characters in the "C" locale: the functions of <ctype.h>, and the tables behind glibc's macros of the same names.
 * Each test is one comparison, so that a symbolic character forks once; the tables are read at the index of the
 * character. */
#include "libc.h"

/* The bits of glibc's class table on a little-endian machine. */
enum {
  UPPER = 0x100,
  LOWER = 0x200,
  ALPHA = 0x400,
  DIGIT = 0x800,
  XDIGIT = 0x1000,
  SPACE = 0x2000,
  PRINT = 0x4000,
  GRAPH = 0x8000,
  BLANK = 0x1,
  CNTRL = 0x2,
  PUNCT = 0x4,
  ALNUM = 0x8,
};

#define WITHIN(c, low, high) ((unsigned)(c) - (unsigned)(low) <= (unsigned)(high) - (unsigned)(low))
#define IS_UPPER(c) WITHIN(c, 'A', 'Z')
#define IS_LOWER(c) WITHIN(c, 'a', 'z')
#define IS_DIGIT(c) WITHIN(c, '0', '9')
#define IS_ALPHA(c) WITHIN((unsigned)(c) | 0x20u, 'a', 'z')
#define IS_ALNUM(c) (IS_ALPHA(c) | IS_DIGIT(c))
#define IS_XDIGIT(c) (IS_DIGIT(c) | WITHIN((unsigned)(c) | 0x20u, 'a', 'f'))
#define IS_BLANK(c) (((c) == ' ') | ((c) == '\t'))
#define IS_SPACE(c) (((c) == ' ') | WITHIN(c, '\t', '\r'))
#define IS_PRINT(c) WITHIN(c, ' ', '~')
#define IS_GRAPH(c) WITHIN(c, '!', '~')
#define IS_CNTRL(c) (WITHIN(c, 0, 31) | ((c) == 127))
#define IS_PUNCT(c) (IS_GRAPH(c) & !IS_ALNUM(c))

PUBLIC int isupper(int c) { return IS_UPPER(c); }
PUBLIC int islower(int c) { return IS_LOWER(c); }
PUBLIC int isdigit(int c) { return IS_DIGIT(c); }
PUBLIC int isalpha(int c) { return IS_ALPHA(c); }
PUBLIC int isalnum(int c) { return IS_ALNUM(c); }
PUBLIC int isxdigit(int c) { return IS_XDIGIT(c); }
PUBLIC int isblank(int c) { return IS_BLANK(c); }
PUBLIC int isspace(int c) { return IS_SPACE(c); }
PUBLIC int isprint(int c) { return IS_PRINT(c); }
PUBLIC int isgraph(int c) { return IS_GRAPH(c); }
PUBLIC int iscntrl(int c) { return IS_CNTRL(c); }
PUBLIC int ispunct(int c) { return IS_PUNCT(c); }
PUBLIC int isascii(int c) { return WITHIN(c, 0, 127); }

PUBLIC int tolower(int c) { return IS_UPPER(c) ? c + ('a' - 'A') : c; }
PUBLIC int toupper(int c) { return IS_LOWER(c) ? c - ('a' - 'A') : c; }
PUBLIC int _tolower(int c) { return c + ('a' - 'A'); }
PUBLIC int _toupper(int c) { return c - ('a' - 'A'); }
PUBLIC int toascii(int c) { return c & 127; }

/* 128 entries from `c`, each given by the macro `f`. */
#define TIMES_4(f, c) f(c), f((c) + 1), f((c) + 2), f((c) + 3)
#define TIMES_16(f, c) TIMES_4(f, c), TIMES_4(f, (c) + 4), TIMES_4(f, (c) + 8), TIMES_4(f, (c) + 12)
#define TIMES_64(f, c) TIMES_16(f, c), TIMES_16(f, (c) + 16), TIMES_16(f, (c) + 32), TIMES_16(f, (c) + 48)
#define TIMES_128(f, c) TIMES_64(f, c), TIMES_64(f, (c) + 64)

#define CLASS(c)                                                                                                       \
  (IS_UPPER(c) * UPPER | IS_LOWER(c) * LOWER | IS_ALPHA(c) * ALPHA | IS_DIGIT(c) * DIGIT | IS_XDIGIT(c) * XDIGIT |     \
   IS_SPACE(c) * SPACE | IS_PRINT(c) * PRINT | IS_GRAPH(c) * GRAPH | IS_BLANK(c) * BLANK | IS_CNTRL(c) * CNTRL |       \
   IS_PUNCT(c) * PUNCT | IS_ALNUM(c) * ALNUM)
#define LOWERED(c) (IS_UPPER(c) ? (c) + 32 : (c))
#define RAISED(c) (IS_LOWER(c) ? (c) - 32 : (c))
#define SAME(c) (c)
#define SAME_OR_EOF(c) ((c) == 255 ? EOF : (c))

/* Characters -128 … 255, so that both a signed char and EOF (which is -1) are valid indices. */
static const unsigned short classes[384] = {[128] = TIMES_128(CLASS, 0)};
static const int lowered[384] = {TIMES_128(SAME_OR_EOF, 128), TIMES_128(LOWERED, 0), TIMES_128(SAME, 128)};
static const int raised[384] = {TIMES_128(SAME_OR_EOF, 128), TIMES_128(RAISED, 0), TIMES_128(SAME, 128)};

PUBLIC const unsigned short **__ctype_b_loc(void) {
  static const unsigned short *table = classes + 128;
  return &table;
}

PUBLIC const int **__ctype_tolower_loc(void) {
  static const int *table = lowered + 128;
  return &table;
}

PUBLIC const int **__ctype_toupper_loc(void) {
  static const int *table = raised + 128;
  return &table;
}

PUBLIC size_t __ctype_get_mb_cur_max(void) { return 1; }
