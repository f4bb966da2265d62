/* Structures that are passed by value, in one register, in two, or in memory; numbers of two registers, too. */
struct pair {
  int a, b;
};

struct holder {
  long n;
  int *p;
};

struct three {
  char c;
  float x, y;
};

struct bits {
  unsigned low : 3, high : 5;
  char c;
};

struct large {
  long a[4];
};

int in_one(struct pair p) {
  if (p.a == 7)
    return 1;
  if (p.b == p.a + 1)
    return 2;
  return 3;
}

int in_two(int first, struct holder h, int last) {
  if (h.n != first || !h.p)
    return 0;
  if (*h.p == last)
    return 1;
  return 2;
}

int mixed(struct three t, struct bits b, struct large l, char c) {
  if (t.c != c)
    return 0;
  if (b.high == 9)
    return 1;
  if (l.a[3] == b.low)
    return 2;
  return 3;
}

int wide(__int128 n, char c) {
  if (n >> 64 == 5)
    return 1;
  if ((char)n == c)
    return 2;
  return 3;
}

// RUN: --function in_one #one
// VALUES[one]: 1 2 3
// RUN: --function in_two #two
// VALUES[two]: 0 1 2
// RUN: --function mixed #mixed
// VALUES[mixed]: 0 1 2 3
// RUN: --function wide #wide
// VALUES[wide]: 1 2 3
// EXACT: true
// MODELS: objects planes
