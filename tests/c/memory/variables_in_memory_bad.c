// A local variable that nobody wrote is found wherever it lives.
// RUN: #slots
// RUN: --variables memory #memory
#include <klee/klee.h>

int main(void) {
    int given = klee_range(0, 2, "given");
    int x;
    if (given)
        x = 7;
    if (x == 7) // FAULT: uninitialized-read
        return 1;
    return 0;
}
