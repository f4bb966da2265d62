/* Floating point to text: %e %f %g %a for double and for the x87's long double, digit for digit what glibc prints.
 *
 * A value is taken apart by its bits, expanded exactly (decimal.h), and rounded once, half to even. A symbolic value is
 * replaced by one example: freely if the text goes to a stream, with a constraint and a warning if the program can read
 * it. */
#include "decimal.h"
#include "printf.h"

/* Enough for every value: limbs before and after the point, and their digits. */
enum {
  DOUBLE_BEFORE = 309 / LIMB_DIGITS + 3,
  DOUBLE_LIMBS = DOUBLE_BEFORE + 1074 / LIMB_DIGITS + 3,
  EXTENDED_BEFORE = 4933 / LIMB_DIGITS + 3,
  EXTENDED_LIMBS = EXTENDED_BEFORE + 16445 / LIMB_DIGITS + 3,
};

/* The number 0.DIGITS · 10^point, without leading zeros; places outside [0, count) hold zeros. */
struct digits {
  char *text;
  int count, point;
};

static void expand(struct digits *d, const struct binary *v, uint32_t *limb, int before) {
  struct decimal x = {limb, before, 0, 0};
  __mneme_decimal_set(&x, v->significand);
  if (v->exponent > 0)
    __mneme_decimal_double(&x, v->exponent);
  else if (v->exponent < 0)
    __mneme_decimal_halve(&x, -v->exponent);

  d->count = 0;
  d->point = (x.point - x.top) * LIMB_DIGITS;
  for (int i = x.top; i < x.end; i++) {
    uint32_t value = x.limb[i];
    for (int place = LIMB_DIGITS - 1; place >= 0; place--, value /= 10)
      d->text[d->count + place] = (char)('0' + value % 10);
    d->count += LIMB_DIGITS;
  }
  int zeros = 0;
  while (zeros < d->count && d->text[zeros] == '0')
    zeros++;
  d->text += zeros;
  d->count -= zeros;
  d->point -= zeros;
  while (d->count > 0 && d->text[d->count - 1] == '0')
    d->count--;
  if (d->count == 0)
    d->point = 1; /* zero is 0.0 · 10^1: its first digit stands before the point */
}

/* Keeps the first `keep` digits, rounded half to even. */
static void round_digits(struct digits *d, int64_t keep) {
  if (keep >= d->count)
    return;
  if (keep < 0) {
    d->count = 0;
    return;
  }
  int kept = (int)keep;
  char next = d->text[kept];
  bool odd = kept > 0 && (d->text[kept - 1] - '0') % 2 == 1;
  bool up = next > '5' || (next == '5' && (d->count > kept + 1 || odd));
  d->count = kept;
  if (!up)
    return;
  while (d->count > 0 && d->text[d->count - 1] == '9')
    d->count--;
  if (d->count > 0) {
    d->text[d->count - 1]++;
    return;
  }
  d->text[0] = '1';
  d->count = 1;
  d->point++;
}

/* Emits the digits at the places [from, to). */
static void put_places(struct sink *out, const struct digits *d, int64_t from, int64_t to) {
  if (from < 0) {
    int64_t zeros = to < 0 ? to - from : -from;
    __mneme_emit_repeated(out, '0', (int)zeros);
    from += zeros;
  }
  int64_t stop = to < d->count ? to : d->count;
  if (from < stop) {
    __mneme_emit(out, d->text + from, (size_t)(stop - from));
    from = stop;
  }
  if (from < to)
    __mneme_emit_repeated(out, '0', (int)(to - from));
}

static char sign_of(const struct spec *spec, bool negative) {
  return negative ? '-' : spec->plus ? '+' : spec->space ? ' ' : '\0';
}

/* What stands before a number of `length` characters: padding, sign, prefix, zeros. Returns the padding left for its
 * end. */
static int begin_number(struct sink *out, const struct spec *spec, bool negative, const char *prefix, int64_t length) {
  char sign = sign_of(spec, negative);
  size_t prefix_length = prefix == NULL ? 0 : 2;
  int64_t total = length + (sign != '\0') + (int64_t)prefix_length;
  int padding = total < spec->width ? (int)(spec->width - total) : 0;
  if (!spec->left && !spec->zero)
    __mneme_emit_repeated(out, ' ', padding);
  __mneme_emit(out, &sign, sign != '\0');
  __mneme_emit(out, prefix, prefix_length);
  if (!spec->left && spec->zero)
    __mneme_emit_repeated(out, '0', padding);
  return spec->left ? padding : 0;
}

static void put_special(struct sink *out, const struct spec *spec, const struct binary *v) {
  bool upper = spec->conversion < 'a';
  struct spec plain = *spec;
  plain.zero = false;
  const char *text = v->kind == FLOAT_NAN ? (upper ? "NAN" : "nan") : (upper ? "INF" : "inf");
  int padding = begin_number(out, &plain, v->negative, NULL, 3);
  __mneme_emit(out, text, 3);
  __mneme_emit_repeated(out, ' ', padding);
}

/* An exponent with its letter and sign, and at least `least` digits. Returns its length. */
static int exponent_text(char text[8], char letter, int exponent, int least) {
  unsigned magnitude = (unsigned)(exponent < 0 ? -exponent : exponent);
  char reversed[8];
  int count = 0;
  do
    reversed[count++] = (char)('0' + magnitude % 10);
  while ((magnitude /= 10) != 0 || count < least);
  int length = 0;
  text[length++] = letter;
  text[length++] = exponent < 0 ? '-' : '+';
  while (count > 0)
    text[length++] = reversed[--count];
  return length;
}

static void put_fixed(struct sink *out, const struct spec *spec, bool negative, const struct digits *d, int precision) {
  int64_t before = d->point > 0 ? d->point : 1;
  bool dot = precision > 0 || spec->alternate;
  int padding = begin_number(out, spec, negative, NULL, before + dot + precision);
  put_places(out, d, d->point - before, d->point);
  __mneme_emit(out, ".", dot);
  put_places(out, d, d->point, (int64_t)d->point + precision);
  __mneme_emit_repeated(out, ' ', padding);
}

static void put_exponential(struct sink *out, const struct spec *spec, bool negative, const struct digits *d,
                            int precision) {
  char exponent[8];
  int exponent_length = exponent_text(exponent, spec->conversion < 'a' ? 'E' : 'e', d->point - 1, 2);
  bool dot = precision > 0 || spec->alternate;
  int padding = begin_number(out, spec, negative, NULL, (int64_t)1 + dot + precision + exponent_length);
  put_places(out, d, 0, 1);
  __mneme_emit(out, ".", dot);
  put_places(out, d, 1, (int64_t)1 + precision);
  __mneme_emit(out, exponent, (size_t)exponent_length);
  __mneme_emit_repeated(out, ' ', padding);
}

static void put_general(struct sink *out, const struct spec *spec, bool negative, struct digits *d, int precision) {
  int significant = precision == 0 ? 1 : precision;
  round_digits(d, significant);
  int shown = significant;
  if (!spec->alternate) { /* trailing zeros are not shown */
    while (d->count > 0 && d->text[d->count - 1] == '0')
      d->count--;
    shown = d->count == 0 ? 1 : d->count;
  }
  int exponent = d->point - 1;
  if (exponent < -4 || exponent >= significant)
    put_exponential(out, spec, negative, d, shown - 1);
  else
    put_fixed(out, spec, negative, d, shown > d->point ? shown - d->point : 0);
}

static void put_decimal(struct sink *out, const struct spec *spec, const struct binary *v, struct digits *d) {
  int precision = spec->precision < 0 ? 6 : spec->precision;
  switch (spec->conversion | 0x20) {
  case 'f':
    round_digits(d, (int64_t)d->point + precision);
    put_fixed(out, spec, v->negative, d, precision);
    break;
  case 'e':
    round_digits(d, (int64_t)1 + precision);
    put_exponential(out, spec, v->negative, d, precision);
    break;
  default:
    put_general(out, spec, v->negative, d, precision);
  }
}

/* %a: one digit, the point, `hex_digits` digits. `significand` holds them in its low bits. */
static void put_hexadecimal(struct sink *out, const struct spec *spec, const struct binary *v) {
  bool upper = spec->conversion < 'a';
  const char *alphabet = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  uint64_t significand = v->significand;
  int shown = v->hex_digits, exponent = v->hex_exponent;
  if (spec->precision >= 0 && spec->precision < shown) {
    int dropped = 4 * (shown - spec->precision);
    uint64_t rest = significand & (((uint64_t)1 << dropped) - 1), half = (uint64_t)1 << (dropped - 1);
    significand >>= dropped;
    significand += rest > half || (rest == half && (significand & 1));
    shown = spec->precision;
  } else if (spec->precision < 0) {
    for (; shown > 0 && (significand & 15) == 0; shown--)
      significand >>= 4;
  }
  int zeros = spec->precision > shown ? spec->precision - shown : 0;
  if (significand >> 4 * shown > 15) { /* the leading digit was f and was rounded up */
    significand >>= 4;
    exponent += 4;
  }

  char text[24], tail[8];
  for (int place = shown; place >= 0; place--, significand >>= 4)
    text[place] = alphabet[significand & 15];
  int tail_length = exponent_text(tail, upper ? 'P' : 'p', exponent, 1);
  bool dot = shown + zeros > 0 || spec->alternate;
  int padding =
      begin_number(out, spec, v->negative, upper ? "0X" : "0x", (int64_t)1 + dot + shown + (int64_t)zeros + tail_length);
  __mneme_emit(out, text, 1);
  __mneme_emit(out, ".", dot);
  __mneme_emit(out, text + 1, (size_t)shown);
  __mneme_emit_repeated(out, '0', zeros);
  __mneme_emit(out, tail, (size_t)tail_length);
  __mneme_emit_repeated(out, ' ', padding);
}

static void put(struct sink *out, const struct spec *spec, const struct binary *v, struct digits *d, uint32_t *limb,
                int before) {
  if (v->kind != FLOAT_FINITE) {
    put_special(out, spec, v);
  } else if ((spec->conversion | 0x20) == 'a') {
    put_hexadecimal(out, spec, v);
  } else {
    expand(d, v, limb, before);
    put_decimal(out, spec, v, d);
  }
}

static uint64_t one_value(const struct sink *out, uint64_t bits) {
  if (!is_read_back(out))
    return example_of(bits);
  return fix_value(bits);
}

void __mneme_format_double(struct sink *out, const struct spec *spec, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = one_value(out, bits);
  uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
  int biased = (int)(bits >> 52 & 0x7ff);
  struct binary v = {.negative = bits >> 63, .hex_digits = 13};
  if (biased == 0x7ff) {
    v.kind = fraction == 0 ? FLOAT_INFINITE : FLOAT_NAN;
  } else {
    int unbiased = (biased == 0 ? 1 : biased) - 1023;
    v.significand = fraction | (uint64_t)(biased != 0) << 52;
    v.exponent = unbiased - 52;
    v.hex_exponent = v.significand == 0 ? 0 : unbiased;
  }
  uint32_t limb[DOUBLE_LIMBS];
  char text[DOUBLE_LIMBS * LIMB_DIGITS];
  struct digits d = {text, 0, 0};
  put(out, spec, &v, &d, limb, DOUBLE_BEFORE);
}

void __mneme_format_long_double(struct sink *out, const struct spec *spec, const unsigned char value[10]) {
  struct binary v = {.hex_digits = 15};
  uint16_t head;
  memcpy(&v.significand, value, 8);
  memcpy(&head, value + 8, 2);
  v.significand = one_value(out, v.significand);
  head = (uint16_t)one_value(out, head);
  v.negative = head >> 15;
  int biased = head & 0x7fff;
  if (biased == 0x7fff) {
    v.kind = v.significand << 1 == 0 ? FLOAT_INFINITE : FLOAT_NAN;
  } else {
    v.exponent = (biased == 0 ? 1 : biased) - 16383 - 63;
    v.hex_exponent = v.significand == 0 ? 0 : v.exponent + 60;
  }
  uint32_t limb[EXTENDED_LIMBS];
  char text[EXTENDED_LIMBS * LIMB_DIGITS];
  struct digits d = {text, 0, 0};
  put(out, spec, &v, &d, limb, EXTENDED_BEFORE);
}
