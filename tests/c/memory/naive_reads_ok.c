// One expression over all writes that the solver simplifies has the value that looking through them one by one gives: symbolic offsets, pointers,
// bytes of wider values, copies and fills of symbolic length.
// MODELS: planes-naive
// RUN: --naive-reads list
// RUN: --naive-reads solver
// RUN: --naive-reads solver --variables memory
// EXACT: true
// VALUES: 0
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

struct node {
    struct node *next;
    short key;
    char name[6];
};

int main(void) {
    int a[6] = {0, 10, 20, 30, 40, 50};
    int i = klee_range(0, 6, "i"), j = klee_range(0, 6, "j");
    a[i] = 7;
    a[j] += 1;
    assert(a[i] == (i == j ? 8 : 7));
    assert(a[j] == (i == j ? 8 : 10 * j + 1));

    struct node nodes[3] = {{&nodes[1], 1, "one"}, {&nodes[2], 2, "two"}, {0, 3, "three"}};
    struct node *p = &nodes[i / 2];
    struct node *next = p->next;
    assert((next == 0) == (i >= 4));
    if (next)
        assert(next->key == p->key + 1);

    unsigned word = 0x04030201;
    unsigned char bytes[4];
    memcpy(bytes, &word, sizeof word);
    bytes[i % 4] = 0;
    memcpy(&word, bytes, sizeof word);
    assert((word >> (8 * (i % 4)) & 0xff) == 0);
    assert(word != 0x04030201);

    char text[8] = "abcdefg";
    memset(text, 'x', (unsigned)i);
    assert(text[j] == (j < i ? 'x' : 'a' + j));
    return 0;
}
