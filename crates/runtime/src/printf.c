/* printf and its relations: one interpreter of format strings over one sink (printf.h).
 *
 * Text for a program's own buffer is computed on symbols, forking as the textbook does (signs, numbers of digits). Text
 * for a stream is never read back: integers are shown as one example, without a fork. Strings are always searched for
 * their end, because that is where programs read out of bounds. Absent: bytes for wide characters beyond ASCII (an
 * encoding error, as in glibc's "C" locale). The replay library contains this file, too, so that sanitizers watch every
 * argument. */
#include "printf.h"

void __mneme_emit(struct sink *out, const char *bytes, size_t size) {
  if (size == 0)
    return;
  size_t room = out->count < out->capacity ? out->capacity - out->count : 0, kept = size < room ? size : room;
  switch (out->kind) {
  case TO_STREAM:
    out->failed |= !__mneme_put(out->stream, bytes, size);
    break;
  case TO_DESCRIPTOR:
    out->failed |= __stream_write(out->fd, bytes, size) < 0;
    break;
  case TO_BUFFER:
    if (kept > 0)
      memcpy(out->buffer + out->count, bytes, kept);
    break;
  case TO_WIDE_BUFFER:
    for (size_t i = 0; i < kept; i++)
      out->wide[out->count + i] = (unsigned char)bytes[i];
    break;
  }
  out->count += size;
}

bool __mneme_emit_wide(struct sink *out, const wchar_t *text, size_t length) {
  if (out->kind == TO_WIDE_BUFFER) {
    size_t room = out->count < out->capacity ? out->capacity - out->count : 0;
    if (room > 0)
      memcpy(out->wide + out->count, text, (length < room ? length : room) * sizeof *text);
    out->count += length;
    return true;
  }
  for (size_t i = 0; i < length; i++)
    if ((unsigned)text[i] > 127) {
      errno = EILSEQ;
      return false;
    }
  for (size_t i = 0; i < length; i++) {
    char c = (char)text[i];
    __mneme_emit(out, &c, 1);
  }
  return true;
}

void __mneme_emit_repeated(struct sink *out, char c, int times) {
  char block[32];
  if (times <= 0)
    return;
  memset(block, c, sizeof block);
  for (; times > (int)sizeof block; times -= (int)sizeof block)
    __mneme_emit(out, block, sizeof block);
  __mneme_emit(out, block, (size_t)times);
}

/* ---- arguments ---- */

enum type { INT, LONG, LONG_LONG, POINTER, REAL, EXTENDED };

static enum type integer_type(enum length length) {
  switch (length) {
  case L:
  case Z:
  case T:
    return LONG; /* sizes and differences are as wide on every target */
  case LL:
  case J:
  case LONG_DOUBLE:
    return LONG_LONG;
  default:
    return INT;
  }
}

static union argument take(struct arguments *a, enum type type) {
  union argument argument;
  switch (type) {
  case INT:
    argument.integer = va_arg(a->list, unsigned);
    break;
  case LONG:
    argument.integer = va_arg(a->list, unsigned long);
    break;
  case LONG_LONG:
    argument.integer = va_arg(a->list, unsigned long long);
    break;
  case POINTER:
    argument.pointer = va_arg(a->list, void *);
    break;
  case REAL:
    argument.real = va_arg(a->list, double);
    break;
  case EXTENDED:
    argument.extended = va_arg(a->list, long double);
    break;
  }
  return argument;
}

/* The argument with this number, or the next one. */
static union argument fetch(struct arguments *a, int number, enum type type) {
  return number > 0 && a->numbered != NULL ? a->numbered[number - 1] : take(a, type);
}

static void *fetch_pointer(struct arguments *a, const struct spec *spec) { return fetch(a, spec->number, POINTER).pointer; }

static uint64_t fetch_unsigned(struct arguments *a, const struct spec *spec) {
  uint64_t value = fetch(a, spec->number, integer_type(spec->length)).integer;
  switch (spec->length) {
  case HH:
    return (unsigned char)value;
  case H:
    return (unsigned short)value;
  default:
    return value;
  }
}

static int64_t fetch_signed(struct arguments *a, const struct spec *spec) {
  uint64_t value = fetch_unsigned(a, spec);
  switch (spec->length) {
  case HH:
    return (signed char)value;
  case H:
    return (short)value;
  case L:
    return (long)value;
  case Z:
  case T:
    return (ptrdiff_t)value;
  case LL:
  case LONG_DOUBLE:
  case J:
    return (int64_t)value;
  default:
    return (int)value;
  }
}

/* ---- conversions ---- */

/* Pads `prefix`, zeros up to the precision, and `digits` to the width. */
static void put_number(struct sink *out, const struct spec *spec, const char *prefix, const char *digits, int count) {
  int prefix_length = (int)strlen(prefix);
  int zeros = spec->precision > count ? spec->precision - count : 0;
  int64_t total = (int64_t)prefix_length + zeros + count;
  int padding = total < spec->width ? (int)(spec->width - total) : 0;
  if (spec->zero && !spec->left && spec->precision < 0) {
    zeros = padding;
    padding = 0;
  }
  if (!spec->left)
    __mneme_emit_repeated(out, ' ', padding);
  __mneme_emit(out, prefix, (size_t)prefix_length);
  __mneme_emit_repeated(out, '0', zeros);
  __mneme_emit(out, digits, (size_t)count);
  if (spec->left)
    __mneme_emit_repeated(out, ' ', padding);
}

static void put_text(struct sink *out, const struct spec *spec, const char *text, size_t length) {
  int padding = spec->width > 0 && length < (size_t)spec->width ? spec->width - (int)length : 0;
  if (!spec->left)
    __mneme_emit_repeated(out, ' ', padding);
  __mneme_emit(out, text, length);
  if (spec->left)
    __mneme_emit_repeated(out, ' ', padding);
}

enum { MOST_DIGITS = 64 };

/* Writes the digits of `value` so that they end at `end`; none for zero. */
static char *put_digits(char *end, uint64_t value, char conversion) {
  switch (conversion) {
  case 'x':
  case 'X':
    for (; value != 0; value >>= 4) {
      unsigned digit = value & 15;
      *--end = (char)(digit < 10 ? '0' + digit : (conversion == 'x' ? 'a' : 'A') + digit - 10);
    }
    return end;
  case 'o':
    for (; value != 0; value >>= 3)
      *--end = (char)('0' + (value & 7));
    return end;
  case 'b':
  case 'B':
    for (; value != 0; value >>= 1)
      *--end = (char)('0' + (value & 1));
    return end;
  default:
    for (; value != 0; value /= 10)
      *--end = (char)('0' + value % 10);
    return end;
  }
}

static void put_unsigned(struct sink *out, const struct spec *spec, const char *prefix, uint64_t value) {
  char digits[MOST_DIGITS + 1];
  char *end = digits + sizeof digits, *start = put_digits(end, value, spec->conversion);
  bool leading_zero = spec->alternate && spec->conversion == 'o' && spec->precision <= end - start;
  if (leading_zero || (start == end && spec->precision != 0))
    *--start = '0';
  put_number(out, spec, prefix, start, (int)(end - start));
}

static uint64_t shown(const struct sink *out, uint64_t value) { return is_read_back(out) ? value : example_of(value); }

static void convert_signed(struct sink *out, const struct spec *spec, struct arguments *a) {
  int64_t value = (int64_t)shown(out, (uint64_t)fetch_signed(a, spec));
  if (value < 0)
    put_unsigned(out, spec, "-", 0 - (uint64_t)value);
  else
    put_unsigned(out, spec, spec->plus ? "+" : spec->space ? " " : "", (uint64_t)value);
}

static void convert_unsigned(struct sink *out, const struct spec *spec, struct arguments *a) {
  uint64_t value = shown(out, fetch_unsigned(a, spec));
  const char *prefix = "";
  if (spec->alternate && value != 0)
    switch (spec->conversion) {
    case 'x':
      prefix = "0x";
      break;
    case 'X':
      prefix = "0X";
      break;
    case 'b':
      prefix = "0b";
      break;
    case 'B':
      prefix = "0B";
      break;
    }
  put_unsigned(out, spec, prefix, value);
}

/* An address in text that is read back is one of many: the run says that the others were lost. */
static unsigned long shown_address(const struct sink *out, const void *pointer) {
  return is_read_back(out) ? __mneme_fix((unsigned long)pointer) : __mneme_concretize((unsigned long)pointer);
}

static void convert_pointer(struct sink *out, const struct spec *spec, struct arguments *a) {
  struct spec hexadecimal = *spec;
  hexadecimal.conversion = 'x';
  void *pointer = fetch_pointer(a, spec);
  if (pointer == NULL)
    put_text(out, spec, "(nil)", 5);
  else
    put_unsigned(out, &hexadecimal, spec->plus ? "+0x" : spec->space ? " 0x" : "0x", shown_address(out, pointer));
}

/* Not strnlen, which natively is the C library's: sanitizers know the stack of this one. */
static size_t length_of(const char *text, size_t limit) {
  size_t n = 0;
  while (n < limit && text[n] != '\0')
    n++;
  return n;
}

/* A text of so many characters must not lie where the output goes. */
static void keep_apart(const struct sink *out, const void *text, size_t length, size_t character) {
  const void *to = out->kind == TO_BUFFER ? (const void *)out->buffer : out->kind == TO_WIDE_BUFFER ? out->wide : NULL;
  if (to == NULL || !__mneme_may_share(to, text))
    return;
  size_t count = out->count + length, kept = count < out->capacity ? count : out->capacity;
  __mneme_apart(to, (kept + 1) * (out->kind == TO_BUFFER ? 1 : sizeof(wchar_t)), text, length * character);
}

static void convert_string(struct sink *out, const struct spec *spec, const char *text) {
  if (text == NULL) {
    put_text(out, spec, "(null)", spec->precision < 0 || spec->precision >= 6 ? 6 : 0);
    return;
  }
  size_t length = length_of(text, spec->precision < 0 ? SIZE_MAX : (size_t)spec->precision);
  keep_apart(out, text, length, 1);
  put_text(out, spec, text, length);
}

/* False if a character has no bytes. */
static bool convert_wide(struct sink *out, const struct spec *spec, const wchar_t *text, int limit) {
  if (text == NULL) {
    convert_string(out, spec, NULL);
    return true;
  }
  int length = 0;
  while ((limit < 0 || length < limit) && text[length] != 0)
    length++;
  keep_apart(out, text, (size_t)length, sizeof *text);
  int padding = length < spec->width ? spec->width - length : 0;
  if (!spec->left)
    __mneme_emit_repeated(out, ' ', padding);
  if (!__mneme_emit_wide(out, text, (size_t)length))
    return false;
  if (spec->left)
    __mneme_emit_repeated(out, ' ', padding);
  return true;
}

static bool convert_character(struct sink *out, const struct spec *spec, struct arguments *a) {
  int value = (int)fetch(a, spec->number, INT).integer;
  if (spec->length == L && value != 0) {
    wchar_t text[2] = {value, 0};
    return convert_wide(out, spec, text, 1);
  }
  char c = (char)value;
  put_text(out, spec, &c, 1);
  return true;
}

static void store_count(const struct sink *out, const struct spec *spec, struct arguments *a) {
  void *to = fetch_pointer(a, spec);
  switch (spec->length) {
  case HH:
    *(signed char *)to = (signed char)out->count;
    break;
  case H:
    *(short *)to = (short)out->count;
    break;
  case L:
    *(long *)to = (long)out->count;
    break;
  case Z:
  case T:
    *(size_t *)to = out->count;
    break;
  case LL:
  case LONG_DOUBLE:
  case J:
    *(long long *)to = (long long)out->count;
    break;
  default:
    *(int *)to = (int)out->count;
  }
}

static void convert_float(struct sink *out, const struct spec *spec, struct arguments *a) {
  if (spec->length != LONG_DOUBLE) {
    __mneme_format_double(out, spec, fetch(a, spec->number, REAL).real);
    return;
  }
  long double value = fetch(a, spec->number, EXTENDED).extended;
  unsigned char bytes[10];
  memcpy(bytes, &value, sizeof bytes);
  __mneme_format_long_double(out, spec, bytes);
}

/* ---- format strings ---- */

static const char *read_flags(const char *f, struct spec *spec) {
  for (;; f++)
    switch (*f) {
    case '-':
      spec->left = true;
      break;
    case '+':
      spec->plus = true;
      break;
    case ' ':
      spec->space = true;
      break;
    case '#':
      spec->alternate = true;
      break;
    case '0':
      spec->zero = true;
      break;
    case '\'': /* no grouping in the "C" locale */
    case 'I':
      break;
    default:
      return f;
    }
}

enum { MOST_ARGUMENTS = 4096 }; /* NL_ARGMAX */

/* The number of an argument, "2$"; 0, and nothing is read, if there is none. Numbers that are too large are one too
 * large. */
static int read_position(const char **f) {
  const char *digit = *f;
  int value = 0;
  for (; (unsigned)*digit - '0' < 10; digit++)
    value = value <= MOST_ARGUMENTS ? value * 10 + (*digit - '0') : value;
  if (*digit != '$' || value == 0)
    return 0;
  *f = digit + 1;
  return value <= MOST_ARGUMENTS ? value : MOST_ARGUMENTS + 1;
}

/* A decimal number, or '*' for an argument. False if it is greater than an int can be. */
static bool read_extent(const char **f, struct extent *extent) {
  if (**f == '*') {
    ++*f;
    extent->from_argument = true;
    extent->number = read_position(f);
    return true;
  }
  int64_t value = 0;
  for (; (unsigned)**f - '0' < 10; ++*f)
    if ((value = value * 10 + (**f - '0')) >= INT_MAX)
      return false;
  extent->value = (int)value;
  return true;
}

static const char *read_length(const char *f, struct spec *spec) {
  switch (*f) {
  case 'h':
    spec->length = f[1] == 'h' ? HH : H;
    return f + (f[1] == 'h' ? 2 : 1);
  case 'l':
    spec->length = f[1] == 'l' ? LL : L;
    return f + (f[1] == 'l' ? 2 : 1);
  case 'q':
    spec->length = LL;
    return f + 1;
  case 'z':
  case 'Z':
    spec->length = Z;
    return f + 1;
  case 't':
    spec->length = T;
    return f + 1;
  case 'j':
    spec->length = J;
    return f + 1;
  case 'L':
    spec->length = LONG_DOUBLE;
    return f + 1;
  default:
    return f;
  }
}

/* Reads what follows a '%'. NULL if a number in it is out of range. */
static const char *read_spec(const char *f, struct spec *spec) {
  *spec = (struct spec){.given_precision.value = -1};
  spec->number = read_position(&f);
  f = read_flags(f, spec);
  if (!read_extent(&f, &spec->given_width))
    return NULL;
  if (*f == '.') {
    f++;
    if (!read_extent(&f, &spec->given_precision))
      return NULL;
  }
  f = read_length(f, spec);
  spec->conversion = *f;
  return f;
}

static int extent_value(const struct extent *extent, struct arguments *a) {
  return extent->from_argument ? (int)fetch(a, extent->number, INT).integer : extent->value;
}

/* Takes width and precision from the arguments. False if one is out of range. */
static bool measure(struct spec *spec, struct arguments *a) {
  spec->width = extent_value(&spec->given_width, a);
  spec->precision = extent_value(&spec->given_precision, a);
  if (spec->width == INT_MIN || spec->precision == INT_MIN)
    return false;
  if (spec->width < 0) {
    spec->left = true;
    spec->width = -spec->width;
  }
  if (spec->precision < 0)
    spec->precision = -1;
  return true;
}

/* The type of the argument that a conversion takes. */
static enum type type_of(const struct spec *spec) {
  switch (spec->conversion) {
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    return spec->length == LONG_DOUBLE ? EXTENDED : REAL;
  case 's':
  case 'S':
  case 'p':
  case 'n':
    return POINTER;
  case 'c':
  case 'C':
    return INT;
  default:
    return integer_type(spec->length);
  }
}

/* The next conversion of a format, or NULL. */
static const char *next_spec(const char *f, struct spec *spec) {
  while (*f != '\0' && *f != '%')
    f++;
  if (*f == '\0' || (f = read_spec(f + 1, spec)) == NULL || *f == '\0')
    return NULL;
  return f + 1;
}

int __mneme_greatest_number(const char *format) {
  struct spec spec;
  int greatest = 0;
  for (const char *f = format; (f = next_spec(f, &spec)) != NULL;) {
    int numbers[] = {spec.number, spec.given_width.number, spec.given_precision.number};
    for (int i = 0; i < 3; i++)
      if (numbers[i] > greatest)
        greatest = numbers[i];
  }
  return greatest <= MOST_ARGUMENTS ? greatest : -1;
}

void __mneme_take_numbered(const char *format, struct arguments *a, union argument *values, int count) {
  enum type types[count];
  struct spec spec;
  for (int i = 0; i < count; i++)
    types[i] = INT;
  for (const char *f = format; (f = next_spec(f, &spec)) != NULL;)
    if (spec.number > 0)
      types[spec.number - 1] = type_of(&spec);
  for (int i = 0; i < count; i++)
    values[i] = take(a, types[i]);
  a->numbered = values;
}

enum outcome { CONVERTED, FAILED, UNKNOWN };

static enum outcome convert(struct sink *out, struct spec *spec, struct arguments *a) {
  switch (spec->conversion) {
  case 'd':
  case 'i':
    convert_signed(out, spec, a);
    return CONVERTED;
  case 'u':
  case 'x':
  case 'X':
  case 'o':
  case 'b':
  case 'B':
    convert_unsigned(out, spec, a);
    return CONVERTED;
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    convert_float(out, spec, a);
    return CONVERTED;
  case 'C':
    spec->length = L;
    return convert_character(out, spec, a) ? CONVERTED : FAILED;
  case 'c':
    return convert_character(out, spec, a) ? CONVERTED : FAILED;
  case 'S':
    return convert_wide(out, spec, fetch_pointer(a, spec), spec->precision) ? CONVERTED : FAILED;
  case 's':
    if (spec->length == L)
      return convert_wide(out, spec, fetch_pointer(a, spec), spec->precision) ? CONVERTED : FAILED;
    convert_string(out, spec, fetch_pointer(a, spec));
    return CONVERTED;
  case 'p':
    convert_pointer(out, spec, a);
    return CONVERTED;
  case 'n':
    store_count(out, spec, a);
    return CONVERTED;
  case 'm':
    convert_string(out, spec, strerror(errno));
    return CONVERTED;
  case '%':
    __mneme_emit(out, "%", 1);
    return CONVERTED;
  default:
    return UNKNOWN;
  }
}

static bool is_numbered(const struct spec *spec) {
  return spec->number > 0 || spec->given_width.number > 0 || spec->given_precision.number > 0;
}

/* The rest of a format whose arguments have numbers. */
static int format_numbered(struct sink *out, const char *format, struct arguments *a) {
  int count = __mneme_greatest_number(format);
  if (count < 0) {
    errno = EOVERFLOW;
    return -1;
  }
  union argument values[count];
  __mneme_take_numbered(format, a, values, count);
  return __mneme_format(out, format, a);
}

int __mneme_format(struct sink *out, const char *format, struct arguments *a) {
  for (const char *f = format; *f != '\0';) {
    const char *start = f;
    while (*f != '\0' && *f != '%')
      f++;
    __mneme_emit(out, start, (size_t)(f - start));
    if (*f == '\0')
      break;
    start = f;
    struct spec spec;
    f = read_spec(f + 1, &spec);
    if (f != NULL && is_numbered(&spec) && a->numbered == NULL)
      return format_numbered(out, start, a);
    if (f == NULL || !measure(&spec, a)) {
      errno = EOVERFLOW;
      return -1;
    }
    if (*f == '\0') { /* a '%' without its end */
      errno = EINVAL;
      return -1;
    }
    f++;
    switch (convert(out, &spec, a)) {
    case CONVERTED:
      break;
    case FAILED:
      return -1;
    case UNKNOWN: /* shown as it stands */
      __mneme_emit(out, start, (size_t)(f - start));
    }
  }
  if (out->count > INT_MAX) {
    errno = EOVERFLOW;
    return -1;
  }
  return out->failed ? -1 : (int)out->count;
}

static int format_list(struct sink *out, const char *format, va_list list) {
  struct arguments a = {.numbered = NULL};
  va_copy(a.list, list);
  int count = __mneme_format(out, format, &a);
  va_end(a.list);
  return count;
}

/* ---- the functions ---- */

PUBLIC int vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list list) {
  struct sink out = {.kind = TO_BUFFER, .buffer = size == 0 ? NULL : to, .capacity = size == 0 ? 0 : size - 1};
  int count = format_list(&out, format, list);
  if (size > 0)
    to[out.count < out.capacity ? out.count : out.capacity] = '\0';
  return count;
}

PUBLIC int vsprintf(char *restrict to, const char *restrict format, va_list list) {
  return vsnprintf(to, SIZE_MAX, format, list);
}

PUBLIC int vasprintf(char **to, const char *format, va_list list) {
  int count = vsnprintf(NULL, 0, format, list);
  if (count < 0)
    return -1;
  *to = malloc((size_t)count + 1);
  return *to == NULL ? -1 : vsnprintf(*to, (size_t)count + 1, format, list);
}

PUBLIC int vdprintf(int fd, const char *restrict format, va_list list) {
  struct sink out = {.kind = TO_DESCRIPTOR, .fd = fd};
  return format_list(&out, format, list);
}

PUBLIC int vfprintf(FILE *restrict stream, const char *restrict format, va_list list) {
  struct sink out = {.kind = TO_STREAM, .stream = stream};
  return format_list(&out, format, list);
}

PUBLIC int vprintf(const char *restrict format, va_list list) { return vfprintf(stdout, format, list); }

PUBLIC int snprintf(char *restrict to, size_t size, const char *restrict format, ...) {
  FORWARD(format, vsnprintf(to, size, format, list));
}
PUBLIC int sprintf(char *restrict to, const char *restrict format, ...) {
  FORWARD(format, vsprintf(to, format, list));
}
PUBLIC int asprintf(char **to, const char *format, ...) { FORWARD(format, vasprintf(to, format, list)); }
PUBLIC int dprintf(int fd, const char *restrict format, ...) { FORWARD(format, vdprintf(fd, format, list)); }
PUBLIC int fprintf(FILE *restrict stream, const char *restrict format, ...) {
  FORWARD(format, vfprintf(stream, format, list));
}
PUBLIC int printf(const char *restrict format, ...) { FORWARD(format, vfprintf(stdout, format, list)); }
