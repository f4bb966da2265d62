// A loop without end that forks in every round, and whose paths are always the same again: what other paths do is found all the same.
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    unsigned char s[4];
    int x;
    klee_make_symbolic(s, sizeof s, "s");
    klee_make_symbolic(&x, sizeof x, "x");
    unsigned n = 0;
    if (x > 5) {
        while (n != 7) {
            if (s[n & 3] == 'a')
                n += 2;
            else
                n++;
            if (n > 1)
                n |= 8;
        }
    } else if (x == 3) {
        assert(s[1] != 9); // FAULT: assertion-failure
    }
    return 0;
}

// RUN: --max-instructions 60000 --loops classic
// MODELS: objects
// STOPS: limit: instructions
