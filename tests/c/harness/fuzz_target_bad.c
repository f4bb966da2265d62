/* A fuzzer's target is explored by itself: inputs of every length up to --max-len, in blocks of exactly that length. */
#include <stddef.h>
#include <stdint.h>

static int ready;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  ready = *argc == 1 && (*argv)[1] == NULL;
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!ready || size == 4)
    return 0;
  if (data[0] == 'F' && size > 1 && data[1] == 'U') // FAULT: out-of-bounds-read
    return data[2] == 'Z'; // FAULT[1]: out-of-bounds-read
  return 0;
}

// RUN: --max-len 6
// RUN: --max-len 1
