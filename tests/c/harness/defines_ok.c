/* Macros of the command line reach the compiler. */
#ifndef X
#define X 1
#endif

int main(void) { return X; }

// RUN:
// RUN: -DX=2
// RUN: -D X=3
// VALUES[1]: 1*1
// VALUES[2]: 2*1
// VALUES[3]: 3*1
// EXACT: true
