/* scanf and its relations: one interpreter of format strings over a source, which is a string or a stream.
 * Where the standard and glibc differ ("0x" is read as 0, "1e+" as 1), this follows glibc.
 * Conversions: d i u o x X p s c [ n % and, through strtod, e f g a. Absent: %m…, wide characters. */
#include "number.h"

/* Reads characters with one of lookahead. */
struct source {
  const char *text; /* or NULL: the stream */
  FILE *stream;
  int consumed;
};

static int peek(struct source *in) {
  if (in->text != NULL)
    return *in->text == '\0' ? EOF : (unsigned char)*in->text;
  int c = __mneme_getc(in->stream);
  ungetc(c, in->stream);
  return c;
}

static void advance(struct source *in) {
  in->consumed++;
  if (in->text != NULL)
    in->text++;
  else
    __mneme_getc(in->stream);
}

static void skip_spaces(struct source *in) {
  while (is_space(peek(in)))
    advance(in);
}

enum length { NONE, HH, H, L, LL, Z, T, J, LONG_DOUBLE };

struct spec {
  bool assign;
  int number; /* of its argument; 0: the next one */
  int width; /* INT_MAX: not given */
  enum length length;
  char conversion;
};

enum outcome { MATCHED, MISMATCH, END_OF_INPUT };

static void store_integer(void *to, enum length length, unsigned long long value) {
  switch (length) {
  case HH:
    *(unsigned char *)to = (unsigned char)value;
    break;
  case H:
    *(unsigned short *)to = (unsigned short)value;
    break;
  case L:
    *(unsigned long *)to = (unsigned long)value;
    break;
  case Z:
  case T:
    *(size_t *)to = (size_t)value;
    break;
  case LL:
  case J:
  case LONG_DOUBLE:
    *(unsigned long long *)to = value;
    break;
  default:
    *(unsigned *)to = (unsigned)value;
  }
}

/* The greatest signed value that the conversion function of glibc (strtol or strtoll) returns for this length. */
static unsigned long long signed_limit(enum length length) {
  return length == LL || length == J || length == LONG_DOUBLE ? LLONG_MAX : LONG_MAX;
}

PLAIN static enum outcome read_integer(struct source *in, const struct spec *spec, void *to) {
  int room = spec->width, base = 10;
  bool is_signed = false, negative = false, any = false;
  switch (spec->conversion) {
  case 'd':
    is_signed = true;
    break;
  case 'i':
    is_signed = true;
    base = 0;
    break;
  case 'o':
    base = 8;
    break;
  case 'x':
  case 'X':
  case 'p':
    base = 16;
    break;
  }
  enum length length = spec->conversion == 'p' ? Z : spec->length;

  int c = peek(in);
  if (c == EOF)
    return END_OF_INPUT;
  if (c == '-') {
    negative = true;
    advance(in);
    room--;
  } else if (c == '+') {
    advance(in);
    room--;
  }
  if ((base == 0 || base == 16) && room > 0 && peek(in) == '0') {
    advance(in);
    room--;
    any = true;
    if (room > 0 && (peek(in) | 0x20) == 'x') {
      advance(in);
      room--;
      base = 16;
    } else if (base == 0) {
      base = 8;
    }
  }
  if (base == 0)
    base = 10;

  unsigned long long limit = signed_limit(length);
  if (is_signed)
    limit += negative;
  else
    limit = limit * 2 + 1;
  struct magnitude m = no_digits((unsigned)base, limit);
  for (; room > 0; room--) {
    unsigned digit = digit_value(peek(in));
    if (digit >= (unsigned)base)
      break;
    add_digit(&m, digit);
    any = true;
    advance(in);
  }
  if (!any)
    return MISMATCH;
  unsigned long long value = negative ? 0 - m.value : m.value;
  if (m.overflow) {
    value = is_signed && negative ? 0 - limit : limit;
    errno = ERANGE;
  }
  if (to != NULL)
    store_integer(to, length, value);
  return MATCHED;
}

/* The text of a number while it is collected. */
struct number {
  char text[512];
  int length, room;
};

/* Takes the next character if there is room for it and it is `wanted`, in either case. */
PLAIN static bool take_letter(struct source *in, struct number *n, char wanted) {
  int c = peek(in);
  if (n->room == 0 || (c | 0x20) != wanted)
    return false;
  n->text[n->length++] = (char)c;
  n->room--;
  advance(in);
  return true;
}

PLAIN static bool take_digits(struct source *in, struct number *n, unsigned base) {
  bool any = false;
  for (; n->room > 0 && digit_value(peek(in)) < base; n->room--) {
    n->text[n->length++] = (char)peek(in);
    any = true;
    advance(in);
  }
  return any;
}

PLAIN static void take_sign(struct source *in, struct number *n) {
  if (n->room == 0)
    return;
  int c = peek(in);
  if (c != '-' && c != '+')
    return;
  n->text[n->length++] = (char)c;
  n->room--;
  advance(in);
}

PLAIN static bool take_word(struct source *in, struct number *n, const char *word) {
  for (; *word != '\0'; word++)
    if (!take_letter(in, n, *word))
      return false;
  return true;
}

/* Collects the longest beginning of a floating-point number. */
PLAIN static bool collect_float(struct source *in, struct number *n) {
  take_sign(in, n);
  if (take_letter(in, n, 'n'))
    return take_word(in, n, "an");
  if (take_letter(in, n, 'i')) {
    if (!take_word(in, n, "nf"))
      return false;
    return !take_letter(in, n, 'i') || take_word(in, n, "nity");
  }
  unsigned base = 10;
  bool any = false;
  if (n->room > 0 && peek(in) == '0') {
    any = take_letter(in, n, '0' | 0x20);
    if (take_letter(in, n, 'x')) {
      base = 16;
      any = false;
    }
  }
  any |= take_digits(in, n, base);
  if (n->room > 0 && peek(in) == '.') {
    take_letter(in, n, '.' | 0x20);
    any |= take_digits(in, n, base);
  }
  if (any && take_letter(in, n, base == 16 ? 'p' : 'e')) {
    take_sign(in, n);
    take_digits(in, n, 10);
  }
  return any;
}

static enum outcome read_float(struct source *in, const struct spec *spec, void *to) {
  struct number n = {.room = sizeof n.text - 1};
  if (spec->width < n.room)
    n.room = spec->width;
  if (peek(in) == EOF)
    return END_OF_INPUT;
  if (!collect_float(in, &n))
    return MISMATCH;
  n.text[n.length] = '\0';
  if (to == NULL)
    return MATCHED;
  if (spec->length == LONG_DOUBLE) {
    long double value = strtold(n.text, NULL);
    memcpy(to, &value, sizeof value);
  } else if (spec->length == L) {
    double value = strtod(n.text, NULL);
    memcpy(to, &value, sizeof value);
  } else {
    float value = strtof(n.text, NULL);
    memcpy(to, &value, sizeof value);
  }
  return MATCHED;
}

PLAIN static enum outcome read_word(struct source *in, const struct spec *spec, char *to) {
  if (peek(in) == EOF)
    return END_OF_INPUT;
  for (int room = spec->width; room > 0; room--) {
    int c = peek(in);
    if (c == EOF || is_space(c))
      break;
    if (to != NULL)
      *to++ = (char)c;
    advance(in);
  }
  if (to != NULL)
    *to = '\0';
  return MATCHED;
}

PLAIN static enum outcome read_characters(struct source *in, const struct spec *spec, char *to) {
  int count = spec->width == INT_MAX ? 1 : spec->width;
  for (int i = 0; i < count; i++) {
    int c = peek(in);
    if (c == EOF)
      return i == 0 ? END_OF_INPUT : MATCHED;
    if (to != NULL)
      to[i] = (char)c;
    advance(in);
  }
  return MATCHED;
}

/* A set "…]" or "^…]": the characters between `first` and `close`, where a-z is a range. */
struct set {
  const char *first, *close;
  bool inverted;
};

/* Reads the set at `f`; NULL if it has no end. */
static const char *read_set(const char *f, struct set *set) {
  set->inverted = *f == '^';
  if (set->inverted)
    f++;
  set->first = f;
  if (*f == ']') /* a bracket in the first place belongs to the set */
    f++;
  while (*f != '\0' && *f != ']')
    f++;
  set->close = f;
  return *f == '\0' ? NULL : f;
}

static bool set_has(const struct set *set, int c) {
  for (const char *p = set->first; p < set->close; p++) {
    unsigned char low = (unsigned char)*p, high = low;
    if (p + 2 < set->close && p[1] == '-') {
      high = (unsigned char)p[2];
      p += 2;
    }
    if (low <= c && c <= high)
      return !set->inverted;
  }
  return set->inverted;
}

PLAIN static enum outcome read_in_set(struct source *in, const struct spec *spec, const struct set *set, char *to) {
  if (peek(in) == EOF)
    return END_OF_INPUT;
  int count = 0;
  for (; count < spec->width; count++) {
    int c = peek(in);
    if (c == EOF || !set_has(set, c))
      break;
    if (to != NULL)
      to[count] = (char)c;
    advance(in);
  }
  if (count == 0)
    return MISMATCH;
  if (to != NULL)
    to[count] = '\0';
  return MATCHED;
}

/* ---- format strings ---- */

/* A decimal number, if there is one. */
static const char *read_number(const char *f, int *result) {
  if ((unsigned)*f - '0' >= 10)
    return f;
  *result = 0;
  for (; (unsigned)*f - '0' < 10; f++)
    *result = *result < 100000000 ? *result * 10 + (*f - '0') : INT_MAX;
  return f;
}

static const char *read_spec(const char *f, struct spec *spec) {
  *spec = (struct spec){.assign = true, .width = INT_MAX};
  int number = 0;
  const char *behind = read_number(f, &number);
  if (*behind == '$') {
    spec->number = number;
    f = behind + 1;
  }
  if (*f == '*') {
    spec->assign = false;
    f++;
  }
  f = read_number(f, &spec->width);
  if (spec->width == 0)
    spec->width = INT_MAX;
  switch (*f) {
  case 'h':
    spec->length = f[1] == 'h' ? HH : H;
    f += f[1] == 'h' ? 2 : 1;
    break;
  case 'l':
    spec->length = f[1] == 'l' ? LL : L;
    f += f[1] == 'l' ? 2 : 1;
    break;
  case 'q':
    spec->length = LL;
    f++;
    break;
  case 'z':
    spec->length = Z;
    f++;
    break;
  case 't':
    spec->length = T;
    f++;
    break;
  case 'j':
    spec->length = J;
    f++;
    break;
  case 'L':
    spec->length = LONG_DOUBLE;
    f++;
    break;
  }
  spec->conversion = *f;
  return f;
}

struct arguments {
  va_list list;
};

/* All arguments are pointers, so that one with a number is counted off. */
static void *target(struct arguments *a, const struct spec *spec) {
  if (!spec->assign)
    return NULL;
  if (spec->number == 0)
    return va_arg(a->list, void *);
  va_list list;
  va_copy(list, a->list);
  for (int n = 1; n < spec->number; n++)
    (void)va_arg(list, void *);
  void *to = va_arg(list, void *);
  va_end(list);
  return to;
}

static enum outcome convert(struct source *in, const struct spec *spec, const struct set *set, struct arguments *a) {
  switch (spec->conversion) {
  case 'c':
    return read_characters(in, spec, target(a, spec));
  case '[':
    return read_in_set(in, spec, set, target(a, spec));
  case 's':
    skip_spaces(in);
    return read_word(in, spec, target(a, spec));
  case 'd':
  case 'i':
  case 'u':
  case 'o':
  case 'x':
  case 'X':
  case 'p':
    skip_spaces(in);
    return read_integer(in, spec, target(a, spec));
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    skip_spaces(in);
    return read_float(in, spec, target(a, spec));
  default:
    return MISMATCH;
  }
}

static enum outcome match_character(struct source *in, char wanted) {
  int c = peek(in);
  if (c == EOF)
    return END_OF_INPUT;
  if (c != (unsigned char)wanted)
    return MISMATCH;
  advance(in);
  return MATCHED;
}

static int scan_all(struct source *in, const char *format, struct arguments *a) {
  int assigned = 0;
  for (const char *f = format; *f != '\0'; f++) {
    enum outcome outcome = MATCHED;
    if (is_space(*f)) {
      skip_spaces(in);
      continue;
    }
    struct spec spec;
    struct set set = {NULL, NULL, false};
    if (*f != '%') {
      outcome = match_character(in, *f);
    } else {
      f = read_spec(f + 1, &spec);
      if (spec.conversion == '\0')
        return assigned;
      if (spec.conversion == '[' && (f = read_set(f + 1, &set)) == NULL)
        return assigned;
      if (spec.conversion == '%') {
        skip_spaces(in);
        outcome = match_character(in, '%');
      } else if (spec.conversion == 'n') {
        void *to = target(a, &spec);
        if (to != NULL)
          store_integer(to, spec.length, (unsigned long long)in->consumed);
      } else {
        outcome = convert(in, &spec, &set, a);
        assigned += outcome == MATCHED && spec.assign;
      }
    }
    if (outcome == END_OF_INPUT)
      return assigned > 0 ? assigned : EOF;
    if (outcome == MISMATCH)
      return assigned;
  }
  return assigned;
}

static int scan_list(struct source in, const char *format, va_list list) {
  struct arguments a;
  va_copy(a.list, list);
  int assigned = scan_all(&in, format, &a);
  va_end(a.list);
  return assigned;
}

/* ---- the functions ---- */

PUBLIC int vsscanf(const char *restrict text, const char *restrict format, va_list list) {
  return scan_list((struct source){.text = text}, format, list);
}

PUBLIC int vfscanf(FILE *restrict stream, const char *restrict format, va_list list) {
  return scan_list((struct source){.stream = stream}, format, list);
}

#define FORWARD(last, call)                                                                                            \
  va_list list;                                                                                                        \
  va_start(list, last);                                                                                                \
  int assigned = call;                                                                                                 \
  va_end(list);                                                                                                        \
  return assigned

/* The functions under their standard names, and under those that glibc's headers give them. */
#define FAMILY(before)                                                                                                 \
  PUBLIC int before##sscanf(const char *restrict text, const char *restrict format, ...) {                             \
    FORWARD(format, vsscanf(text, format, list));                                                                      \
  }                                                                                                                    \
  PUBLIC int before##fscanf(FILE *restrict stream, const char *restrict format, ...) {                                 \
    FORWARD(format, vfscanf(stream, format, list));                                                                    \
  }                                                                                                                    \
  PUBLIC int before##scanf(const char *restrict format, ...) { FORWARD(format, vfscanf(stdin, format, list)); }

FAMILY()
FAMILY(__isoc99_)
FAMILY(__isoc23_)

#define LIST_FAMILY(before)                                                                                            \
  PUBLIC int before##vsscanf(const char *restrict text, const char *restrict format, va_list list) {                   \
    return vsscanf(text, format, list);                                                                                \
  }                                                                                                                    \
  PUBLIC int before##vfscanf(FILE *restrict stream, const char *restrict format, va_list list) {                       \
    return vfscanf(stream, format, list);                                                                              \
  }                                                                                                                    \
  PUBLIC int before##vscanf(const char *restrict format, va_list list) { return vfscanf(stdin, format, list); }

LIST_FAMILY(__isoc99_)
LIST_FAMILY(__isoc23_)
PUBLIC int vscanf(const char *restrict format, va_list list) { return vfscanf(stdin, format, list); }
