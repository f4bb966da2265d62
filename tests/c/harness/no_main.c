/* A program without main is an input error. */
int f(void) { return 0; }

// EXIT: 2
