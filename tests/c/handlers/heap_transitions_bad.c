/* The transitions of symMMU's heap checker (Figure 7): each kind of use of a block in each of its states. */
// RUN: --handler heap-check --concrete-handler heap-check #checked
// RUN: #builtin
// MODELS: objects
#include <mneme.h>
#include <stdlib.h>

int main(void) {
  unsigned what = mneme_uint("what");
  unsigned char *p = malloc(4), *zeros = calloc(4, 1);
  int got = zeros[1]; /* calloc: in order */
  switch (what) {
  case 0: /* unwritten, written: in order */
    p[1] = 1;
    got += p[1];
    break;
  case 1: /* unwritten, read */
    if (p[1] == 0) // FAULT: uninitialized-read
      got++;
    break;
  case 2: /* written, freed, read */
    p[0] = 1;
    free(p);
    got += p[0]; // FAULT: use-after-free
    break;
  case 3: /* unwritten, freed, written */
    free(p);
    p[0] = 1; // FAULT: use-after-free
    break;
  case 4: /* freed twice */
    free(p);
    free(p); // FAULT: double-free
    break;
  case 5: /* reallocated: what was written is kept */
    p[0] = 1;
    p = realloc(p, 8);
    got += p[0];
    if (p[6]) // FAULT: uninitialized-read
      got++;
    break;
  case 6: { /* freed, allocated again: the new block is unwritten, the old one freed */
    free(p);
    unsigned char *q = malloc(4);
    q[0] = 1;
    got += q[0];
    got += p[0]; // FAULT: use-after-free
    break;
  }
  default: { /* a symbolic place: some bytes are written, some are not */
    p[0] = p[1] = p[2] = 1;
    unsigned i = mneme_uint("i");
    mneme_assume(i < 4);
    if (p[i] == 1) // FAULT: uninitialized-read
      got++;
    break;
  }
  }
  free(zeros);
  return got;
}

// FAULTED: >= 7
