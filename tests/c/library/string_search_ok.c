/* strchr, strrchr, strstr, strspn and memchr agree with each other. */
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

int main(void) {
  char s[4];
  klee_make_symbolic(s, sizeof s, "s");
  s[3] = 0;
  char *first = strchr(s, 'a'), *last = strrchr(s, 'a');
  assert((first == NULL) == (last == NULL));
  if (first) {
    assert(first <= last);
    assert(*first == 'a');
    assert(strstr(s, "a") == first);
    assert(memchr(s, 'a', 4) == first);
  } else {
    assert(strstr(s, "ab") == NULL);
  }
  assert(strspn(s, "a") <= strlen(s));
  return first != NULL;
}

// VALUES: 0 1
// EXACT: true
