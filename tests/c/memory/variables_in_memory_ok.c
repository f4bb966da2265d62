// Local variables whose address nobody takes mean the same wherever they live: counters, pointers, parameters, a recursive function's own, and
// one whose life begins anew in every iteration.
// RUN: --merge none #slots
// RUN: --variables memory --merge none #memory
// RUN: --variables memory --loops compact --merge none #compact
// RUN: --variables memory --m32 --merge none #narrow
// PATHS[slots, memory, narrow]: 5
// PATHS[compact]: <= 5
// EXACT: true
#include <assert.h>
#include <klee/klee.h>

static int depth(int n) {
    int rest = n - 1;
    if (n == 0)
        return 0;
    int below = depth(rest);
    return below + (n - rest);
}

static int sum(const int *from, int n) {
    int total = 0;
    for (int i = 0; i < n; i++) {
        int each = from[i];
        const int *p = from + i;
        if (i == 0)
            each++;
        total += each + *p;
    }
    return total;
}

int main(void) {
    int a[4] = {1, 2, 3, 4};
    int n = klee_range(0, 5, "n");
    assert(depth(3) == 3);
    int total = sum(a, n);
    assert(total == (n == 0 ? 0 : n * (n + 1) + 1));
    return 0;
}
