/* An index that leaves its member array stays inside the object: found on demand. One that leaves both is found in any case. */
#include <mneme.h>

struct entry {
  char key[8];
  int value;
};

int main(void) {
  struct entry e = {{0}, 5};
  unsigned n = mneme_uint("n");
  if (n == 12)
    return e.key[n]; // FAULT[default]: out-of-bounds-read
  if (n > 8)
    return 1;
  e.key[n] = 0; // FAULT[subobjects]: subobject-overrun
  if (e.value != 5)
    return 2;
  return 0;
}

// RUN: #default
// RUN: --check subobjects #subobjects
// RUN: --check subobjects --m32 #subobjects
// FAULT@13[subobjects]: subobject-overrun
// FAULTED[default]: 1
// FAULTED[subobjects]: 2
// VALUES[default]: 0*1 1*1 2*1
// VALUES[subobjects]: 0*1 1*1
// EXACT: true
