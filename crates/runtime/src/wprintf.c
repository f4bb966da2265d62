/* wprintf and its relations: the format is wide; each conversion is given to printf's interpreter as a format of its
 * own. Streams have no orientation here: wide text is written as bytes, which is all that the "C" locale knows. */
#include "printf.h"

/* The longest conversion: flags, two numbers of ten digits, length. A longer one can only repeat its flags. */
enum { LONGEST_SPEC = 48 };

static bool ends_spec(wchar_t c) {
  bool middle = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == ' ' || c == '#' || c == '\'' || c == 'I' || c == '*' || c == '$' ||
                c == '.' || c == 'h' || c == 'l' || c == 'q' || c == 'z' || c == 'Z' || c == 't' || c == 'j' || c == 'L';
  return !middle;
}

static int format_pieces(struct sink *out, const wchar_t *format, struct arguments *a) {
  int result = 0;
  for (const wchar_t *f = format; *f != 0 && result >= 0;) {
    const wchar_t *start = f;
    while (*f != 0 && *f != '%')
      f++;
    if (f != start && !__mneme_emit_wide(out, start, (size_t)(f - start)))
      result = -1;
    if (*f == 0)
      break;
    char spec[LONGEST_SPEC] = "%";
    size_t length = 1;
    do {
      f++;
      if (length + 1 < sizeof spec)
        spec[length++] = *f > 0 && *f < 128 ? (char)*f : '?';
    } while (*f != 0 && !ends_spec(*f));
    if (*f != 0)
      f++;
    if (result >= 0 && __mneme_format(out, spec, a) < 0)
      result = -1;
  }
  if (out->count > INT_MAX) {
    errno = EOVERFLOW;
    return -1;
  }
  return result < 0 || out->failed ? -1 : (int)out->count;
}

/* Arguments by number are looked up in the whole format, as bytes. */
static int format_numbered(struct sink *out, const wchar_t *format, struct arguments *a) {
  size_t length = wcslen(format);
  char bytes[length + 1];
  for (size_t i = 0; i <= length; i++)
    bytes[i] = format[i] >= 0 && format[i] < 128 ? (char)format[i] : '?';
  int count = __mneme_greatest_number(bytes);
  if (count < 0) {
    errno = EOVERFLOW;
    return -1;
  }
  union argument values[count + 1];
  if (count > 0)
    __mneme_take_numbered(bytes, a, values, count);
  return format_pieces(out, format, a);
}

static bool may_be_numbered(const wchar_t *format) {
  while (*format != 0 && *format != '$')
    format++;
  return *format != 0;
}

static int format_wide(struct sink *out, const wchar_t *format, va_list list) {
  struct arguments a = {.numbered = NULL};
  va_copy(a.list, list);
  int count = may_be_numbered(format) ? format_numbered(out, format, &a) : format_pieces(out, format, &a);
  va_end(a.list);
  return count;
}

PUBLIC int vswprintf(wchar_t *restrict to, size_t size, const wchar_t *restrict format, va_list list) {
  if (size == 0)
    return -1;
  struct sink out = {.kind = TO_WIDE_BUFFER, .wide = to, .capacity = size - 1};
  int count = format_wide(&out, format, list);
  to[out.count < out.capacity ? out.count : out.capacity] = 0;
  return out.count > out.capacity ? -1 : count;
}

PUBLIC int vfwprintf(FILE *restrict stream, const wchar_t *restrict format, va_list list) {
  struct sink out = {.kind = TO_STREAM, .stream = stream};
  return format_wide(&out, format, list);
}

PUBLIC int vwprintf(const wchar_t *restrict format, va_list list) { return vfwprintf(stdout, format, list); }

PUBLIC int swprintf(wchar_t *restrict to, size_t size, const wchar_t *restrict format, ...) {
  FORWARD(format, vswprintf(to, size, format, list));
}
PUBLIC int fwprintf(FILE *restrict stream, const wchar_t *restrict format, ...) {
  FORWARD(format, vfwprintf(stream, format, list));
}
PUBLIC int wprintf(const wchar_t *restrict format, ...) { FORWARD(format, vfwprintf(stdout, format, list)); }

PUBLIC wint_t fputwc(wchar_t c, FILE *stream) {
  struct sink out = {.kind = TO_STREAM, .stream = stream};
  return __mneme_emit_wide(&out, &c, 1) && !out.failed ? (wint_t)c : WEOF;
}

PUBLIC int fputws(const wchar_t *restrict text, FILE *restrict stream) {
  struct sink out = {.kind = TO_STREAM, .stream = stream};
  return __mneme_emit_wide(&out, text, wcslen(text)) && !out.failed ? 1 : EOF;
}

PUBLIC wint_t putwc(wchar_t c, FILE *stream) { return fputwc(c, stream); }
PUBLIC wint_t putwchar(wchar_t c) { return fputwc(c, stdout); }
