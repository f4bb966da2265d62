/* Compares functions of the runtime, whose symbols carry the prefix rt_, with the C library of this machine. */
#ifndef HARNESS_H
#define HARNESS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int failures, checks;

#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    checks++;                                                                                                          \
    if (!(condition) && ++failures <= 20) {                                                                            \
      printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                                           \
      printf(__VA_ARGS__);                                                                                             \
      printf("\n");                                                                                                    \
    }                                                                                                                  \
  } while (0)

/* xorshift64: the same inputs in every run. */
static uint64_t random_state = 88172645463325252u;
static inline uint64_t random_bits(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}
static inline unsigned below(unsigned n) { return (unsigned)(random_bits() >> 32) % n; }

static inline int sign(int x) { return (x > 0) - (x < 0); }

int *rt___errno_location(void);
#define rt_errno (*rt___errno_location())

/* What the runtime wrote, and what it will read. */
extern char written[65536];
extern size_t written_size;
extern const char *to_read;

static inline int finish(void) {
  printf("%d checks, %d failures\n", checks, failures);
  return failures != 0 || checks == 0;
}

#endif
