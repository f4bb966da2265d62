/* C that does not compile is an input error. */
int main(void) { return missing; }

// EXIT: 2
