/* Reading integers: what strtol and scanf share. Written without branches, so that one symbolic digit costs one
 * fork. */
#ifndef MNEME_NUMBER_H
#define MNEME_NUMBER_H

#include "libc.h"

static inline bool is_space(int c) { return (c == ' ') | ((unsigned)c - '\t' < 5); }

/* The value of `c` as a digit in bases up to 36; 36 or more if it is none. */
static inline unsigned digit_value(int c) {
  unsigned decimal = (unsigned)c - '0', letter = ((unsigned)c | 0x20) - 'a';
  unsigned as_letter = letter < 26 ? letter + 10 : 36;
  return decimal < 10 ? decimal : as_letter;
}

/* The digits read so far. `limit` is the greatest magnitude wanted. */
struct magnitude {
  unsigned long long value, limit, last_safe, last_digit;
  unsigned base;
  bool overflow;
};

static inline struct magnitude no_digits(unsigned base, unsigned long long limit) {
  return (struct magnitude){.limit = limit, .last_safe = limit / base, .last_digit = limit % base, .base = base};
}

static inline void add_digit(struct magnitude *m, unsigned digit) {
  m->overflow |= (m->value > m->last_safe) | ((m->value == m->last_safe) & (digit > m->last_digit));
  m->value = m->value * m->base + digit;
}

#endif
