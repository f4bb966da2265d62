/* printf and its relations: one interpreter of format strings over one sink (printf.h).
 *
 * Text for a program's own buffer is computed on symbols, forking as the textbook does (signs, numbers of digits). Text for
 * a stream is never read back: integers are shown as one example, without a fork. Strings are always searched for their
 * end, because that is where programs read out of bounds.
 * Absent: %1$d positions, and bytes for wide characters beyond ASCII (an encoding error, as in glibc's "C" locale). The replay
 * library contains this file, too, so that sanitizers watch every argument. */
#include "printf.h"

void __mneme_emit(struct sink *out, const char *bytes, size_t size) {
  if (size == 0)
    return;
  size_t room = out->count < out->capacity ? out->capacity - out->count : 0, kept = size < room ? size : room;
  switch (out->kind) {
  case TO_STREAM:
    __mneme_put(out->stream, bytes, size);
    break;
  case TO_DESCRIPTOR:
    __stream_write(out->fd, bytes, size);
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

static uint64_t next_unsigned(struct arguments *a, enum length length) {
  switch (length) {
  case HH:
    return (unsigned char)va_arg(a->list, unsigned);
  case H:
    return (unsigned short)va_arg(a->list, unsigned);
  case L:
    return va_arg(a->list, unsigned long);
  case Z:
    return va_arg(a->list, size_t);
  case T:
    return (size_t)va_arg(a->list, ptrdiff_t);
  case LL:
  case LONG_DOUBLE:
    return va_arg(a->list, unsigned long long);
  case J:
    return va_arg(a->list, uintmax_t);
  default:
    return va_arg(a->list, unsigned);
  }
}

static int64_t next_signed(struct arguments *a, enum length length) {
  uint64_t value = next_unsigned(a, length);
  switch (length) {
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
  int64_t value = (int64_t)shown(out, (uint64_t)next_signed(a, spec->length));
  if (value < 0)
    put_unsigned(out, spec, "-", 0 - (uint64_t)value);
  else
    put_unsigned(out, spec, spec->plus ? "+" : spec->space ? " " : "", (uint64_t)value);
}

static void convert_unsigned(struct sink *out, const struct spec *spec, struct arguments *a) {
  uint64_t value = shown(out, next_unsigned(a, spec->length));
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

static void convert_pointer(struct sink *out, const struct spec *spec, struct arguments *a) {
  struct spec hexadecimal = *spec;
  hexadecimal.conversion = 'x';
  void *pointer = va_arg(a->list, void *);
  if (pointer == NULL)
    put_text(out, spec, "(nil)", 5);
  else
    put_unsigned(out, &hexadecimal, spec->plus ? "+0x" : spec->space ? " 0x" : "0x",
                 shown(out, (uint64_t)(uintptr_t)pointer));
}

/* Not strnlen, which natively is the C library's: sanitizers know the stack of this one. */
static size_t length_of(const char *text, size_t limit) {
  size_t n = 0;
  while (n < limit && text[n] != '\0')
    n++;
  return n;
}

static void convert_string(struct sink *out, const struct spec *spec, const char *text) {
  if (text == NULL)
    put_text(out, spec, "(null)", spec->precision < 0 || spec->precision >= 6 ? 6 : 0);
  else
    put_text(out, spec, text, length_of(text, spec->precision < 0 ? SIZE_MAX : (size_t)spec->precision));
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
  int value = va_arg(a->list, int);
  if (spec->length == L && value != 0) {
    wchar_t text[2] = {value, 0};
    return convert_wide(out, spec, text, 1);
  }
  char c = (char)value;
  put_text(out, spec, &c, 1);
  return true;
}

static void store_count(const struct sink *out, const struct spec *spec, struct arguments *a) {
  void *to = va_arg(a->list, void *);
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
    __mneme_format_double(out, spec, va_arg(a->list, double));
    return;
  }
  long double value = va_arg(a->list, long double);
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

/* A decimal number, or '*' for the next argument. False if it is greater than an int can be. */
static bool read_number(const char **f, struct arguments *a, int *result) {
  if (**f == '*') {
    ++*f;
    *result = va_arg(a->list, int);
    return *result != INT_MIN;
  }
  int64_t value = 0;
  for (; (unsigned)**f - '0' < 10; ++*f)
    if ((value = value * 10 + (**f - '0')) >= INT_MAX)
      return false;
  *result = (int)value;
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
static const char *read_spec(const char *f, struct spec *spec, struct arguments *a) {
  *spec = (struct spec){.precision = -1};
  f = read_flags(f, spec);
  if (!read_number(&f, a, &spec->width))
    return NULL;
  if (spec->width < 0) {
    spec->left = true;
    spec->width = -spec->width;
  }
  if (*f == '.') {
    f++;
    if (!read_number(&f, a, &spec->precision))
      return NULL;
    if (spec->precision < 0)
      spec->precision = -1;
  }
  f = read_length(f, spec);
  spec->conversion = *f;
  return f;
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
    return convert_wide(out, spec, va_arg(a->list, const wchar_t *), spec->precision) ? CONVERTED : FAILED;
  case 's':
    if (spec->length == L)
      return convert_wide(out, spec, va_arg(a->list, const wchar_t *), spec->precision) ? CONVERTED : FAILED;
    convert_string(out, spec, va_arg(a->list, const char *));
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
    f = read_spec(f + 1, &spec, a);
    if (f == NULL) {
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
  return (int)out->count;
}

static int format_list(struct sink *out, const char *format, va_list list) {
  struct arguments a;
  va_copy(a.list, list);
  int count = __mneme_format(out, format, &a);
  va_end(a.list);
  return count;
}

/* ---- the functions ---- */

PUBLIC int vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list list) {
  struct sink out = {.kind = TO_BUFFER, .buffer = to, .capacity = size == 0 ? 0 : size - 1};
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
