/* symMMU, section 5.3: one of 23 string functions (-DFUNCTION=0..22, in the order of Figure 9) on a symbolic buffer of two
 * pages, which are two objects. Two symbolic integers are offsets of feasibly overlapping pointers, a third one is a length.
 * Nothing ends the strings, so that reading past the pages is a true error. */
#include <mneme.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifndef FUNCTION
#define FUNCTION 0
#endif
#ifndef PAGE
#define PAGE 4096
#endif

static char page1[PAGE], page2[PAGE];

static char *fry(char *s) {
  size_t n = strlen(s);
  for (size_t k = 0; k + 1 < n; k += 2) {
    char c = s[k];
    s[k] = s[k + 1];
    s[k + 1] = c;
  }
  return s;
}

int main(void) {
  mneme_symbolic(page1, PAGE, "page1");
  mneme_symbolic(page2, PAGE, "page2");
  unsigned d1 = mneme_uint("d1") % PAGE, d2 = mneme_uint("d2") % (2 * PAGE), n = mneme_uint("n") % PAGE;
  char *p = page1 + d1, *q = d2 < PAGE ? page1 + d2 : page2 + (d2 - PAGE);
  int c = mneme_char("c");
  char *copy;
  switch (FUNCTION) {
  case 0: return index(p, c) != NULL;
  case 1: return rindex(p, c) != NULL;
  case 2: return stpcpy(p, q) != NULL;
  case 3: return strcasecmp(p, q) != 0;
  case 4: return strcat(p, q) != NULL;
  case 5: return strchr(p, c) != NULL;
  case 6: return strcmp(p, q) != 0;
  case 7: return strcoll(p, q) != 0;
  case 8: return strcpy(p, q) != NULL;
  case 9: return strcspn(p, q) > 1;
  case 10:
    copy = strdup(q);
    free(copy);
    return copy != NULL;
  case 11: return fry(q) != NULL;
  case 12: return strlen(q) > 1;
  case 13: return strncasecmp(p, q, n) != 0;
  case 14: return strncat(p, q, n) != NULL;
  case 15: return strncmp(p, q, n) != 0;
  case 16: return strncpy(p, q, n) != NULL;
  case 17: return strpbrk(p, q) != NULL;
  case 18: return strrchr(q, c) != NULL;
  case 19: return strspn(p, q) > 1;
  case 20: return strstr(p, q) != NULL;
  case 21: return strtok(p, q) != NULL;
  default: return strxfrm(p, q, n) > 1;
  }
}
