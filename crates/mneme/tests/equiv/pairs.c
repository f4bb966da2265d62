/* Pairs of functions for `mneme equiv`: each `…_b` does what `…_a` does, but for those whose names begin with `bad_`. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The number of ones, bit by bit and by halves. */
int ones_a(unsigned x) {
  int n = 0;
  for (int i = 0; i < 32; i++)
    n += x >> i & 1;
  return n;
}
int ones_b(unsigned x) {
  x = x - (x >> 1 & 0x55555555);
  x = (x & 0x33333333) + (x >> 2 & 0x33333333);
  return (x + (x >> 4) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* A text in three aligned words: its length byte by byte and word by word. */
struct text {
  _Alignas(8) unsigned char at[24];
};
int length_a(const struct text *t) {
  for (int i = 0; i < 24; i++)
    if (!t->at[i])
      return i;
  return 24;
}
int length_b(const struct text *t) {
  for (int i = 0; i < 24; i += 8) {
    unsigned long w;
    memcpy(&w, t->at + i, 8);
    unsigned long zero = (w - 0x0101010101010101ul) & ~w & 0x8080808080808080ul;
    if (zero)
      return i + __builtin_ctzl(zero) / 8;
  }
  return 24;
}

/* Six bytes sorted by bubbles and by a network of twelve comparators. */
struct six {
  unsigned char at[6];
};
void sort_a(struct six *s) {
  for (int end = 5; end > 0; end--)
    for (int j = 0; j < end; j++)
      if (s->at[j] > s->at[j + 1]) {
        unsigned char t = s->at[j];
        s->at[j] = s->at[j + 1];
        s->at[j + 1] = t;
      }
}
static const unsigned char network[12][2] = {{0, 5}, {1, 3}, {2, 4}, {1, 2}, {3, 4}, {0, 3},
                                             {2, 5}, {0, 1}, {2, 3}, {4, 5}, {1, 2}, {3, 4}};
static void compare(struct six *s, int comparators) {
  for (int i = 0; i < comparators; i++) {
    unsigned char *a = &s->at[network[i][0]], *b = &s->at[network[i][1]];
    unsigned char low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
  }
}
void sort_b(struct six *s) { compare(s, 12); }

int max_a(int a, int b) { return a > b ? a : b; }
int max_b(int a, int b) { return a ^ ((a ^ b) & -(a < b)); }

unsigned average_a(unsigned a, unsigned b) { return ((unsigned long)a + b) / 2; }
unsigned average_b(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }

int sign_a(int x) { return x < 0 ? -1 : x > 0; }
int sign_b(int x) { return (x > 0) - (x < 0); }

unsigned swap_a(unsigned x) { return __builtin_bswap32(x); }
unsigned swap_b(unsigned x) { return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24; }

int power_a(unsigned x) {
  for (int i = 0; i < 32; i++)
    if (x == 1u << i)
      return 1;
  return 0;
}
int power_b(unsigned x) { return x && !(x & x - 1); }

struct node {
  int value;
  struct node *next;
};
struct node *reverse_a(struct node *p) {
  struct node *r = NULL;
  while (p) {
    struct node *next = p->next;
    p->next = r;
    r = p;
    p = next;
  }
  return r;
}
static struct node *onto(struct node *p, struct node *r) {
  if (!p)
    return r;
  struct node *next = p->next;
  p->next = r;
  return onto(next, p);
}
struct node *reverse_b(struct node *p) { return onto(p, NULL); }

/* A parser and its refactored form: one decimal digit or two, with a sign. */
int parse_a(const struct text *t) {
  int i = 0, sign = 1, n = 0;
  if (t->at[0] == '-') {
    sign = -1;
    i = 1;
  }
  if (t->at[i] < '0' || t->at[i] > '9')
    return -1000;
  n = t->at[i] - '0';
  if (t->at[i + 1] >= '0' && t->at[i + 1] <= '9')
    n = 10 * n + t->at[i + 1] - '0';
  return sign * n;
}
static int digit(unsigned char c) { return c >= '0' && c <= '9' ? c - '0' : -1; }
int parse_b(const struct text *t) {
  const unsigned char *s = t->at + (t->at[0] == '-');
  int high = digit(s[0]), low = digit(s[1]);
  if (high < 0)
    return -1000;
  int n = low < 0 ? high : 10 * high + low;
  return s == t->at ? n : -n;
}

/* New blocks are compared by what they hold. */
int *pair_a(int a, int b) {
  int *p = malloc(2 * sizeof *p);
  p[0] = a;
  p[1] = b;
  return p;
}
int *pair_b(int a, int b) {
  int *p = calloc(2, sizeof *p);
  p[1] = b;
  *p = a;
  return p;
}

int count, last;
void note_a(int x) {
  last = x;
  count++;
}
void note_b(int x) {
  count += 1;
  last = x;
}

unsigned gray_a(unsigned n) { return n ^ n >> 1; }
unsigned gray_b(unsigned n) { return (n | n >> 1) & ~(n & n >> 1); }

int absolute_a(int x) { return x < 0 ? -(unsigned)x : x; }
int absolute_b(int x) {
  unsigned mask = -(unsigned)(x < 0);
  return (x ^ mask) - mask;
}

unsigned times_a(unsigned x) { return x * 10; }
unsigned times_b(unsigned x) { return (x << 3) + (x << 1); }

/* Five with a difference: an edge that was forgotten. */
int bad_max_a(int a, int b) { return a > b ? a : b; }
int bad_max_b(int a, int b) { return (int)((unsigned)a - b) > 0 ? a : b; }

int bad_power_a(unsigned x) { return x && !(x & x - 1); }
int bad_power_b(unsigned x) { return !(x & x - 1); }

void bad_sort_a(struct six *s) { sort_b(s); }
void bad_sort_b(struct six *s) { compare(s, 11); }

struct node *bad_reverse_a(struct node *p) { return reverse_a(p); }
struct node *bad_reverse_b(struct node *p) { return p && p->next ? reverse_a(p) : NULL; }

int bad_parse_a(const struct text *t) { return parse_a(t); }
int bad_parse_b(const struct text *t) {
  int n = parse_b(t);
  return n < -9 && n > -1000 ? n + 1 : n;
}

/* What is seen besides the result: how the program ends, errno, a large structure that is returned, blocks that are freed. What
   the first leaves undefined, the second may set. */
int end_a(int x) {
  if (x == 9)
    exit(1);
  return 0;
}
int end_b(int x) {
  if (x != 9)
    return 0;
  exit(1);
}
int bad_end_a(int x) { return end_a(x); }
int bad_end_b(int x) {
  if (x == 9)
    exit(2);
  return 0;
}
int bad_return_a(int x) { return end_a(x); }
int bad_return_b(int x) { return x - x; }

int bad_errno_a(int x) {
  if (x < 0)
    errno = ERANGE;
  return x;
}
int bad_errno_b(int x) { return x; }

struct large {
  long at[4];
};
struct large filled_a(long x) { return (struct large){{x, 1, 2, 3}}; }
struct large filled_b(long x) {
  struct large l = {{0, 1, 2, 3}};
  l.at[0] += x;
  return l;
}
struct large bad_filled_a(long x) { return filled_a(x); }
struct large bad_filled_b(long x) {
  struct large l = filled_a(x);
  l.at[3] += x == 77;
  return l;
}

void drop_a(struct node **p) {
  if (!p || !*p)
    return;
  struct node *gone = *p;
  *p = gone->next;
  free(gone);
}
void drop_b(struct node **p) {
  if (!p || !*p)
    return;
  struct node *next = (*p)->next;
  free(*p);
  *p = next;
}
void bad_drop_a(struct node **p) { drop_a(p); }
void bad_drop_b(struct node **p) {
  if (p && *p)
    *p = (*p)->next;
}

int *half_a(int x) {
  int *p = malloc(2 * sizeof *p);
  p[0] = x;
  return p;
}
int *half_b(int x) {
  int *p = calloc(2, sizeof *p);
  p[0] = x;
  return p;
}

/* They differ in texts that are longer than buffers are made. */
void copy_a(char *restrict to, const char *restrict from) {
  while ((*to++ = *from++))
    ;
}
void copy_b(char *restrict to, const char *restrict from) {
  int i = 0;
  do
    to[i] = i < 40 ? from[i] : 0;
  while (from[i++]);
}
