/* scanf on strings, compared with glibc: counts, values, and how far it read; and on a stream. */
#include "harness.h"

int rt_sscanf(const char *, const char *, ...), rt_scanf(const char *, ...);
int rt_getchar(void), rt_ungetc(int, void *), rt_feof(void *);
char *rt_fgets(char *, int, void *);
size_t rt_fread(void *, size_t, size_t, void *);
long rt_getline(char **, size_t *, void *);
extern void *rt_stdin;

#pragma clang diagnostic ignored "-Wformat"
#pragma clang diagnostic ignored "-Wformat-nonliteral"
#pragma clang diagnostic ignored "-Wformat-security"

struct targets {
  union {
    long long integer;
    char text[32];
    double number;
  } a, b, c;
  int end;
};

static void compare(const char *text, const char *format) {
  struct targets mine, theirs;
  memset(&mine, '#', sizeof mine), memset(&theirs, '#', sizeof theirs);
  int got = rt_sscanf(text, format, &mine.a, &mine.b, &mine.c, &mine.end);
  int wanted = sscanf(text, format, &theirs.a, &theirs.b, &theirs.c, &theirs.end);
  CHECK(got == wanted && memcmp(&mine, &theirs, sizeof mine) == 0, "\"%s\" by \"%s\": %d, not %d", text, format, got, wanted);
}

int main(void) {
  static const char *const formats[] = {
      "%d%d%d%n", "%d,%d,%d%n", "%i %i %i%n", "%u %x %o%n", "%ld %lld %hd%n", "%hhd%hhu%zu", "%s %s %s%n", "%3s%2s%c%n", "%c%c%c%n", "%2c %1c%c",
      "%[a-c]%[^,],%s%n", "%[]x]%[^]]%s", "%*d %d %*s %d", "%5d%3d%1d", "%d%%%d %d", "a%db%dc%d", " %d %n%c", "%lf %lf %lf%n", "%f %lf %s", "%x%x%x", "%3lf%2lf%lf",
      "%2i%2x%3d", "%p", "%2$d %1$d", "%3$s %1$2s %2$c", "%1$*d %2$lf"};
  static const char *const texts[] = {
      "", " ", "1 2 3", "1,2,3", "-1 +2 - 3", "0x10 010 10", "ff 0xff 77", "hello big world", "abcabc,xyz", "]x]]y z", "12345678901234567890 5", "-99999999999999999999 1 2",
      "123456789", "1%2 3", "a1b2c3", "a1b", "x", "  42  q", "1.5 -2.25e3 .5", "1e5x 2", "nothing", "3.14abc", "0x", "0xg", "99999 70000 300", "12ab", "4294967295 ffffffff 7", "1e+ 2", "1e x 3", "infinity nan -inf", "infix 1", "0x1.8p1 2 3", "-. 5", ".e1 2", "\t\n7\n8\n9"};
  for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
      compare(texts[t], formats[f]);
  for (int round = 0; round < 15000; round++) {
    static const char alphabet[] = "0123456789-+ ,abx%";
    char text[16];
    unsigned n = below(sizeof text);
    for (unsigned i = 0; i < n; i++)
      text[i] = alphabet[below(sizeof alphabet - 1)];
    text[n] = '\0';
    compare(text, formats[below(17)]);
  }

  int a = 0, b = 0;
  char word[16] = "", *line = NULL;
  size_t size = 0;
  to_read = "12 0x1f word\nsecond line\nrest\nlast";
  CHECK(rt_scanf("%d %i %s", &a, &b, word) == 3 && a == 12 && b == 31 && strcmp(word, "word") == 0, "%d %d %s", a, b, word);
  CHECK(rt_getchar() == '\n' && rt_ungetc('S', rt_stdin) == 'S', "ungetc");
  CHECK(rt_fgets(word, sizeof word, rt_stdin) == word && strcmp(word, "Ssecond line\n") == 0, "%s", word);
  CHECK(rt_getline(&line, &size, rt_stdin) == 5 && strcmp(line, "rest\n") == 0, "%s", line);
  CHECK(!rt_feof(rt_stdin) && rt_fread(word, 2, 8, rt_stdin) == 2 && memcmp(word, "last", 4) == 0 && rt_feof(rt_stdin), "fread");
  CHECK(rt_getchar() == EOF && rt_fgets(word, 5, rt_stdin) == NULL && rt_scanf("%d", &a) == EOF, "end");
  free(line);
  return finish();
}
