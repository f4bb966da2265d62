/* Entries of programs without `main`: a fuzzer's target, and a function that `--entry` names.
 *
 * The input of a fuzzer's target is one object `data` of `size` bytes, in a block of its own, so that reading behind it
 * is an error even if it is empty. Natively the same code takes both from the test. */
#include "libc.h"

__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
__attribute__((weak)) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void *mneme_symbolic_buffer(size_t size, const char *name);

/* The longest input that is explored; the loader writes the value of --max-len here. Natively the test decides. */
PUBLIC size_t __mneme_max_len = SIZE_MAX;

int __mneme_fuzz_main(int argc, char **argv) {
  if (LLVMFuzzerInitialize != NULL)
    LLVMFuzzerInitialize(&argc, &argv);
  size_t size;
  klee_make_symbolic(&size, sizeof size, "size");
  klee_assume(size <= __mneme_max_len);
  uint8_t *data = mneme_symbolic_buffer(size, "data");
  LLVMFuzzerTestOneInput(data, size);
  free(data);
  return 0;
}

/* The loader and, natively, the linker put the chosen function in the place of this one. */
__attribute__((weak)) void __mneme_entry(void);

int __mneme_entry_main(void) {
  __mneme_entry();
  return 0;
}
