/* Text to integers: atoi, strtol and their families.
 * Forks: the spaces, the sign, the prefix, each digit, and overflow once at the end. */
#include "number.h"

enum dialect { BEFORE_C23, C23 }; /* C23 reads "0b101" in bases 0 and 2 */

struct integer {
  unsigned long long magnitude;
  bool negative, overflow;
};

/* Reads an integer; magnitudes above `positive_limit`, or `negative_limit` after a minus sign, are overflows. */
PLAIN static struct integer parse(const char *text, char **end, int base, enum dialect dialect,
                            unsigned long long positive_limit, unsigned long long negative_limit) {
  struct integer result = {0, false, false};
  if (end != NULL)
    *end = (char *)text;
  if (base < 0 || base == 1 || base > 36) {
    errno = EINVAL;
    return result;
  }

  const char *s = text;
  while (is_space(*s))
    s++;
  if (*s == '-') {
    result.negative = true;
    s++;
  } else if (*s == '+') {
    s++;
  }

  if (base == 0 || base == 16 || (base == 2 && dialect == C23)) {
    if (*s == '0') {
      char letter = s[1] | 0x20;
      if (base != 2 && letter == 'x' && digit_value(s[2]) < 16) {
        s += 2;
        base = 16;
      } else if (base != 16 && dialect == C23 && letter == 'b' && digit_value(s[2]) < 2) {
        s += 2;
        base = 2;
      } else if (base == 0) {
        base = 8;
      }
    } else if (base == 0) {
      base = 10;
    }
  }

  unsigned long long limit = result.negative ? negative_limit : positive_limit;
  struct magnitude m = no_digits((unsigned)base, limit);
  const char *first = s;
  for (unsigned digit; (digit = digit_value(*s)) < (unsigned)base; s++)
    add_digit(&m, digit);
  if (end != NULL && s != first)
    *end = (char *)s;
  result.magnitude = m.value;
  if (m.overflow) {
    result.overflow = true;
    errno = ERANGE;
  }
  return result;
}

static long long parse_signed(const char *text, char **end, int base, enum dialect dialect, long long max) {
  unsigned long long limit = (unsigned long long)max;
  struct integer n = parse(text, end, base, dialect, limit, limit + 1);
  unsigned long long magnitude = n.overflow ? limit + n.negative : n.magnitude;
  return (long long)(n.negative ? 0 - magnitude : magnitude);
}

static unsigned long long parse_unsigned(const char *text, char **end, int base, enum dialect dialect,
                                         unsigned long long max) {
  struct integer n = parse(text, end, base, dialect, max, max);
  unsigned long long value = n.negative ? 0 - n.magnitude : n.magnitude;
  return n.overflow ? max : value;
}

PUBLIC int atoi(const char *text) { return (int)parse_signed(text, NULL, 10, BEFORE_C23, LONG_MAX); }
PUBLIC long atol(const char *text) { return (long)parse_signed(text, NULL, 10, BEFORE_C23, LONG_MAX); }
PUBLIC long long atoll(const char *text) { return parse_signed(text, NULL, 10, BEFORE_C23, LLONG_MAX); }

/* The functions under their standard names, and under those that newer headers give them. */
#define SIGNED(name, type, dialect, max)                                                                               \
  PUBLIC type name(const char *restrict text, char **restrict end, int base) {                                         \
    return (type)parse_signed(text, end, base, dialect, max);                                                          \
  }
#define UNSIGNED(name, type, dialect, max)                                                                             \
  PUBLIC type name(const char *restrict text, char **restrict end, int base) {                                         \
    return (type)parse_unsigned(text, end, base, dialect, max);                                                        \
  }

SIGNED(strtol, long, BEFORE_C23, LONG_MAX)
SIGNED(strtoll, long long, BEFORE_C23, LLONG_MAX)
SIGNED(strtoimax, intmax_t, BEFORE_C23, INTMAX_MAX)
SIGNED(strtoq, long long, BEFORE_C23, LLONG_MAX)
SIGNED(__isoc23_strtol, long, C23, LONG_MAX)
SIGNED(__isoc23_strtoll, long long, C23, LLONG_MAX)
SIGNED(__isoc23_strtoimax, intmax_t, C23, INTMAX_MAX)
UNSIGNED(strtoul, unsigned long, BEFORE_C23, ULONG_MAX)
UNSIGNED(strtoull, unsigned long long, BEFORE_C23, ULLONG_MAX)
UNSIGNED(strtoumax, uintmax_t, BEFORE_C23, UINTMAX_MAX)
UNSIGNED(strtouq, unsigned long long, BEFORE_C23, ULLONG_MAX)
UNSIGNED(__isoc23_strtoul, unsigned long, C23, ULONG_MAX)
UNSIGNED(__isoc23_strtoull, unsigned long long, C23, ULLONG_MAX)
UNSIGNED(__isoc23_strtoumax, uintmax_t, C23, UINTMAX_MAX)
