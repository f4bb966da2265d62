// One path never leaves a loop in which the others wait for it: it is told, and what they do later is found.
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    unsigned char k;
    klee_make_symbolic(&k, sizeof k, "k");
    int i = 0;
    for (;;) {
        if (i < 4 && k == i)
            break;
        if (i < 4)
            i++;
    }
    assert(i != 3); // FAULT: assertion-failure
    return 0;
}

// RUN: --max-instructions 4000000 --loops classic
// STOPS: a loop comes back to where it was
// PATHS: 1
