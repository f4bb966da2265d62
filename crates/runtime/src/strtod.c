/* Text to floating point: strtod, strtof, strtold and atof, correctly rounded (to nearest, ties to even).
 *
 * The text is scanned first; that forks as any parser does. Its value is then computed exactly (decimal.h) on digits
 * that are fixed to one example each if they are symbolic: forking on the bits of a rounding would never end. Results
 * are put together from bits; there is no floating-point arithmetic here. Digits after the first MAX_DIGITS only count
 * as "and something more": exact for float and double, whose halfway points have at most 767 digits. */
#include "decimal.h"
#include "number.h"

enum { MAX_DIGITS = 800 };

/* A binary format: values are integers of at most `bits` bits times 2^e, with e >= least_exponent. */
struct format {
  int bits, least_exponent, greatest_exponent;
  int least_point, greatest_point; /* decimal exponents outside are zero and infinity for sure */
};
static const struct format single_format = {24, -149, 104, -60, 60};
static const struct format double_format = {53, -1074, 971, -340, 320};
static const struct format extended_format = {64, -16445, 16320, -4970, 4940};

/* Limbs before and after the point that a number may need while it is shifted into place. */
enum {
  DOUBLE_BEFORE = 320 / LIMB_DIGITS + 4,
  DOUBLE_LIMBS = DOUBLE_BEFORE + (MAX_DIGITS + 1074) / LIMB_DIGITS + 16,
  EXTENDED_BEFORE = 4940 / LIMB_DIGITS + 4,
  EXTENDED_LIMBS = EXTENDED_BEFORE + (MAX_DIGITS + 16445) / LIMB_DIGITS + 16,
};

enum kind { NOTHING, FINITE, INFINITE, NOT_A_NUMBER };

/* What the text says, before rounding. */
struct scanned {
  enum kind kind;
  bool negative, hexadecimal;
  const char *digits; /* the first digit that is not zero; a '.' may come later */
  int count;          /* of digits from there on */
  long point;         /* the number is 0.DIGITS · 10^point, or for hexadecimal 0.DIGITS · 2^point */
  uint64_t payload;   /* of nan(PAYLOAD) */
  const char *end;
};

/* The result: magnitude · 2^exponent, where a normal number has the format's number of bits; or a payload. */
struct rounded {
  enum kind kind;
  uint64_t magnitude;
  int exponent;
};

/* ---- scanning ---- */

PLAIN static bool matches(const char *s, const char *word) {
  for (; *word != '\0'; s++, word++)
    if ((*s | 0x20) != *word)
      return false;
  return true;
}

static bool is_name_character(char c) { return (digit_value(c) < 36) | (c == '_'); }

/* The value of a character known to be a digit. */
static unsigned fixed_value(char digit) {
  return digit_value((int)fix_value((unsigned char)digit));
}

/* The exponent after 'e' or 'p', saturated; moves *s behind it if there is one. */
PLAIN static long scan_exponent(const char **s) {
  const char *p = *s + 1;
  bool negative = false;
  if (*p == '-') {
    negative = true;
    p++;
  } else if (*p == '+') {
    p++;
  }
  if (digit_value(*p) >= 10)
    return 0;
  long value = 0;
  for (; digit_value(*p) < 10; p++)
    if (value < 1000000)
      value = value * 10 + (long)fixed_value(*p);
  *s = p;
  return negative ? -value : value;
}

PLAIN static void scan_digits(struct scanned *n, const char *s, unsigned base) {
  bool seen_point = false, seen_digit = false;
  long scale = base == 16 ? 4 : 1;
  for (;; s++) {
    if (*s == '.' && !seen_point) {
      seen_point = true;
      continue;
    }
    if (digit_value(*s) >= base)
      break;
    seen_digit = true;
    if (n->digits == NULL && *s == '0') {
      n->point -= seen_point ? scale : 0;
      continue;
    }
    if (n->digits == NULL)
      n->digits = s;
    n->count++;
    n->point += seen_point ? 0 : scale;
  }
  if (!seen_digit)
    return;
  n->kind = FINITE;
  n->end = s;
  if ((*s | 0x20) == (base == 16 ? 'p' : 'e'))
    n->point += scan_exponent(&n->end);
}

PLAIN static struct scanned scan(const char *text) {
  struct scanned n = {.kind = NOTHING, .end = text};
  const char *s = text;
  while (is_space(*s))
    s++;
  if (*s == '-') {
    n.negative = true;
    s++;
  } else if (*s == '+') {
    s++;
  }
  if (matches(s, "inf")) {
    n.kind = INFINITE;
    n.end = s + (matches(s + 3, "inity") ? 8 : 3);
    return n;
  }
  if (matches(s, "nan")) {
    n.kind = NOT_A_NUMBER;
    n.end = s + 3;
    if (s[3] == '(') {
      const char *close = s + 4;
      while (is_name_character(*close))
        close++;
      if (*close == ')') {
        n.end = close + 1;
        char *after;
        uint64_t payload = strtoull(s + 4, &after, 0);
        if (after == close)
          n.payload = payload;
      }
    }
    return n;
  }
  if (*s == '0' && (s[1] | 0x20) == 'x') {
    n.hexadecimal = true;
    scan_digits(&n, s + 2, 16);
    if (n.kind != NOTHING)
      return n;
    n.hexadecimal = false; /* only the "0" of "0x" is a number */
    n.kind = FINITE;
    n.end = s + 1;
    return n;
  }
  scan_digits(&n, s, 10);
  return n;
}

static unsigned next_digit(const char **s) {
  if (**s == '.')
    ++*s;
  return fixed_value(*(*s)++);
}

/* ---- rounding ---- */

static int bit_length(uint64_t value) {
  int n = 0;
  for (; value != 0; value >>= 1)
    n++;
  return n;
}

/* Rounds magnitude · 2^exponent plus a rest: `half` is the rest's first bit, `more` whether anything follows it. */
static struct rounded round_even(uint64_t magnitude, int exponent, bool half, bool more, const struct format *f) {
  uint64_t top = (uint64_t)1 << (f->bits - 1);
  if (half && (more || (magnitude & 1))) {
    magnitude++;
    if (magnitude == 0 || magnitude >> 1 == top) { /* one bit more than there is room for */
      magnitude = top;
      exponent++;
    }
  }
  if (exponent > f->greatest_exponent) {
    errno = ERANGE;
    return (struct rounded){INFINITE, 0, 0};
  }
  if (magnitude < top && (half || more))
    errno = ERANGE;
  return (struct rounded){FINITE, magnitude, exponent};
}

static struct rounded out_of_range(bool large) {
  errno = ERANGE;
  return (struct rounded){large ? INFINITE : FINITE, 0, 0};
}

/* The number's digits as limbs around the point; `limb` has room before[…] and after it. */
static struct decimal to_decimal(const struct scanned *n, uint32_t *limb, int before) {
  struct decimal x = {limb, before, 0, 0};
  int point = (int)n->point;
  /* The first digit stands `place` digits below the top of its limb. */
  int limbs_above = point > 0 ? (point + LIMB_DIGITS - 1) / LIMB_DIGITS : -(-point / LIMB_DIGITS);
  int place = limbs_above * LIMB_DIGITS - point;
  x.top = x.end = before - limbs_above;

  const char *s = n->digits;
  int kept = n->count < MAX_DIGITS ? n->count : MAX_DIGITS;
  uint32_t value = 0;
  for (int i = 0; i < kept; i++) {
    value = value * 10 + next_digit(&s);
    if (++place == LIMB_DIGITS) {
      x.limb[x.end++] = value;
      value = 0;
      place = 0;
    }
  }
  bool more = false;
  for (int i = kept; i < n->count && !more; i++)
    more = next_digit(&s) != 0;
  if (more) {
    value = value * 10 + 1;
    place++;
  }
  if (place > 0) {
    for (; place < LIMB_DIGITS; place++)
      value *= 10;
    x.limb[x.end++] = value;
  }
  while (x.end < x.point)
    x.limb[x.end++] = 0;
  return x;
}

static uint64_t integer_part(const struct decimal *x) {
  uint64_t value = 0;
  for (int i = x->top; i < x->point; i++)
    value = value * LIMB_BASE + x->limb[i];
  return value;
}

static struct rounded round_decimal(const struct scanned *n, const struct format *f, uint32_t *limb, int before) {
  if (n->point > f->greatest_point || n->point < f->least_point)
    return out_of_range(n->point > 0);
  struct decimal x = to_decimal(n, limb, before);

  /* Shift until the integer part has as many bits as the format, or the exponent is the least. */
  int exponent = 0;
  for (; x.point - x.top > 2; exponent += 32)
    __mneme_decimal_halve(&x, 32);
  uint64_t integer;
  for (;;) {
    integer = integer_part(&x);
    int missing = f->bits - bit_length(integer);
    if (missing < 0) {
      __mneme_decimal_halve(&x, -missing);
      exponent -= missing;
      continue;
    }
    if (missing > exponent - f->least_exponent)
      missing = exponent - f->least_exponent;
    if (missing == 0)
      break;
    __mneme_decimal_double(&x, missing);
    exponent -= missing;
  }

  /* What is left after the point, against one half. */
  uint32_t first = x.top <= x.point && x.point < x.end ? x.limb[x.point] : 0;
  bool half = first >= LIMB_BASE / 2, more = first % (LIMB_BASE / 2) != 0;
  for (int i = x.top > x.point ? x.top : x.point + 1; i < x.end; i++)
    more |= x.limb[i] != 0;
  return round_even(integer, exponent, half, more, f);
}

static struct rounded round_hexadecimal(const struct scanned *n, const struct format *f) {
  if (n->point > 20000 || n->point < -20000)
    return out_of_range(n->point > 0);
  /* The first 64 bits from the leading one on; of what follows, the first bit and whether there is more. */
  const char *s = n->digits;
  uint64_t magnitude = 0;
  int exponent = (int)n->point;
  bool half = false, more = false, full = false;
  for (int i = 0; i < n->count; i++) {
    unsigned digit = next_digit(&s);
    for (int place = 3; place >= 0; place--) {
      bool bit = digit >> place & 1;
      if (magnitude >> 63 == 0) {
        magnitude = magnitude << 1 | bit;
        exponent--;
      } else if (!full) {
        half = bit;
        full = true;
      } else {
        more |= bit;
      }
    }
  }

  while (magnitude >> 63 == 0) {
    magnitude <<= 1;
    exponent--;
  }
  int excess = 64 - f->bits;
  if (exponent + excess < f->least_exponent)
    excess = f->least_exponent - exponent;
  for (int i = 0; i < excess; i++) {
    more |= half;
    half = magnitude & 1;
    magnitude >>= 1;
  }
  exponent += excess;
  return round_even(magnitude, exponent, half, more, f);
}

/* ---- the functions ---- */

static struct rounded convert(const char *text, char **end, bool *negative, const struct format *f, uint32_t *limb,
                              int before) {
  struct scanned n = scan(text);
  if (end != NULL)
    *end = (char *)n.end;
  *negative = n.negative && n.kind != NOTHING;
  if (n.kind == FINITE && n.digits != NULL)
    return n.hexadecimal ? round_hexadecimal(&n, f) : round_decimal(&n, f, limb, before);
  return (struct rounded){n.kind == NOTHING ? FINITE : n.kind, n.payload, 0};
}

/* The bits of an IEEE number whose leading one is implicit, without the sign. */
static uint64_t pack(struct rounded r, const struct format *f, int exponent_bits) {
  uint64_t implicit = (uint64_t)1 << (f->bits - 1), all_ones = ((uint64_t)1 << exponent_bits) - 1;
  switch (r.kind) {
  case INFINITE:
    return all_ones << (f->bits - 1);
  case NOT_A_NUMBER:
    return all_ones << (f->bits - 1) | implicit >> 1 | (r.magnitude & (implicit / 2 - 1));
  default:
    if (r.magnitude < implicit)
      return r.magnitude;
    return (uint64_t)(r.exponent - f->least_exponent + 1) << (f->bits - 1) | (r.magnitude ^ implicit);
  }
}

PUBLIC double strtod(const char *restrict text, char **restrict end) {
  uint32_t limb[DOUBLE_LIMBS];
  bool negative;
  struct rounded r = convert(text, end, &negative, &double_format, limb, DOUBLE_BEFORE);
  uint64_t bits = pack(r, &double_format, 11) | (uint64_t)negative << 63;
  double result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

PUBLIC float strtof(const char *restrict text, char **restrict end) {
  uint32_t limb[DOUBLE_LIMBS];
  bool negative;
  struct rounded r = convert(text, end, &negative, &single_format, limb, DOUBLE_BEFORE);
  uint32_t bits = (uint32_t)pack(r, &single_format, 8) | (uint32_t)negative << 31;
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

/* The x87's extended format: a 64-bit significand with an explicit leading one, then sign and exponent. */
PUBLIC long double strtold(const char *restrict text, char **restrict end) {
  uint32_t limb[EXTENDED_LIMBS];
  bool negative;
  struct rounded r = convert(text, end, &negative, &extended_format, limb, EXTENDED_BEFORE);
  uint64_t significand = r.magnitude;
  unsigned exponent = 0x7fff;
  if (r.kind == INFINITE)
    significand = (uint64_t)1 << 63;
  else if (r.kind == NOT_A_NUMBER)
    significand |= (uint64_t)3 << 62;
  else
    exponent = significand >> 63 == 0 ? 0 : (unsigned)(r.exponent - extended_format.least_exponent + 1);
  uint16_t head = (uint16_t)(exponent | (unsigned)negative << 15);
  unsigned char bytes[sizeof(long double)] = {0};
  memcpy(bytes, &significand, 8);
  memcpy(bytes + 8, &head, 2);
  long double result;
  memcpy(&result, bytes, sizeof result);
  return result;
}

PUBLIC double atof(const char *text) { return strtod(text, NULL); }
