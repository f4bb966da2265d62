/* strtod, strtof and strtold: bits, end and errno as glibc, on random and on difficult texts. */
#include "harness.h"

double rt_strtod(const char *, char **), rt_atof(const char *);
float rt_strtof(const char *, char **);
long double rt_strtold(const char *, char **);

#define CONVERT(type, function, size)                                                                                  \
  do {                                                                                                                 \
    char *x, *y;                                                                                                       \
    errno = 0, rt_errno = 0;                                                                                           \
    type got = rt_##function(text, &x), wanted = function(text, &y);                                                   \
    CHECK(memcmp(&got, &wanted, size) == 0 && x == y && errno == rt_errno,                                             \
          #function "(\"%.60s\"): %La at %td errno %d, not %La at %td errno %d", text, (long double)got, x - text,     \
          rt_errno, (long double)wanted, y - text, errno);                                                             \
  } while (0)

static void compare(const char *text) {
  CONVERT(double, strtod, 8);
  CONVERT(float, strtof, 4);
  CONVERT(long double, strtold, 10);
}

/* A long decimal expansion of the midpoint between two neighbouring doubles, and texts just above and below. */
static void halfway(void) {
  uint64_t bits = random_bits() & 0x7fffffffffffffff;
  if (bits >> 52 >= 0x7fe)
    bits &= 0x000fffffffffffff;
  double low, high;
  memcpy(&low, &bits, 8);
  bits++;
  memcpy(&high, &bits, 8);
  long double middle = ((long double)low + (long double)high) / 2;
  char text[1400];
  int n = snprintf(text, sizeof text - 2, "%.1100Le", middle);
  compare(text);
  char *e = strchr(text, 'e');
  char rest[16];
  strcpy(rest, e);
  strcpy(e, "1"), strcat(text, rest);
  compare(text);
  (void)n;
}

int main(void) {
  static const char *const edges[] = {
      "", " ", "-", ".", "-.", "e5", ".e1", "0", "-0", "+0.0", "1", "1.", ".5", "-.5e1", "1e", "1e+", "1e-x", "1e5x", "1.5.5", " \t3.25abc", "0x", "0x.", "0xg", "0x1",
      "0x1.8p1", "0X.8P-1", "0x1p", "0x1p+", "0x1.fffffffffffff8p0", "0x1.fffffffffffff7p0", "0x1.00000000000008p0", "0x1.000000000000080000001p0",
      "0x1p-1074", "0x1p-1075", "0x1.8p-1075", "0x1p1023", "0x1p1024", "0x0.00000000000000000000000001p0", "0x123456789abcdef0123456789p-10",
      "inf", "-INF", "Infinity", "infinit", "infinityx", "nan", "-nan", "NaN(123)", "nan(", "nan(x-y)", "nan(abc_1)z", "in", "na",
      "1e308", "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1e309", "-1e400", "1e99999999999999999999",
      "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.5e-324", "1e-400", "1e-99999999999999999999", "0e99999999999", "2.2250738585072014e-308",
      "2.2250738585072011e-308", "9007199254740993", "9007199254740992.5", "9007199254740993.0000000000000000000000000000000001", "179769313486231580793e289",
      "3.4028235e38", "3.4028236e38", "3.5e38", "1.4e-45", "7e-46", "7.1e-46", "1.17549435e-38", "16777217", "16777217.0000001", "1e4932", "1.2e4932", "3e-4951", "1e-4951", "1.8e-4951",
      "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000001", "100000000000000000000000000000000000000000000000000000000000000000000"};
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
    compare(edges[i]);

  for (int round = 0; round < 40000; round++) {
    char text[1200], *t = text;
    if (below(8) == 0)
      *t++ = "+- "[below(3)];
    unsigned digits = below(16) == 0 ? below(900) : below(22), point = below(digits + 2);
    for (unsigned i = 0; i < digits; i++) {
      if (i == point)
        *t++ = '.';
      *t++ = (char)('0' + below(below(3) == 0 ? 1 : 10));
    }
    if (below(2) == 0)
      t += sprintf(t, "%c%d", "eE"[below(2)], (int)below(round % 4 ? 60 : 10400) - (round % 4 ? 30 : 5200));
    *t = '\0';
    compare(text);
  }
  for (int round = 0; round < 8000; round++) { /* what printf prints comes back */
    uint64_t bits = random_bits();
    double d;
    memcpy(&d, &bits, 8);
    char text[64];
    snprintf(text, sizeof text, round % 2 ? "%.17g" : "%a", d);
    compare(text);
  }
  for (int round = 0; round < 500; round++)
    halfway();
  CHECK(rt_atof("2.5x") == 2.5, "atof");
  return finish();
}
