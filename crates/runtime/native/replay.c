/* The engine's primitives for a native run: inputs come from the .ktest file that MNEME_REPLAY names.
 *
 * klee.c, mneme.c and svcomp.c are compiled beside this file as they are, so that a harness means the same natively.
 * A test that is a C file (`mneme tests --as-c`) brings them itself. What the run has to tell goes to the first standard
 * error as lines that begin with `mneme-replay: `; `mneme replay` reads them. Everything is weak: a program that defines its own wins. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PUBLIC __attribute__((weak))
#define NORETURN __attribute__((noreturn))

/* Why a run ends early; distinct from what programs and sanitizers exit with only by the line that goes with it. */
enum { EXCLUDED = 97, DEPARTED = 98, UNSUPPORTED = 99 };

/* A test that is linked with the program: the .ktest file, which allocations fail, and the words of its command line. */
extern const unsigned char __mneme_test[] __attribute__((weak));
extern const size_t __mneme_test_size __attribute__((weak));
extern const char __mneme_test_failing[] __attribute__((weak));
extern char *__mneme_test_words[] __attribute__((weak));

struct input {
  const unsigned char *name, *bytes;
  uint32_t name_length, length;
  bool used;
};

static struct input *inputs;
static uint32_t input_count;
static int channel = 2; /* survives a program that closes its standard error */

/* What every sanitizer's runtime offers; the stack that goes with a signal may end at a function that does not
 * return. */
__attribute__((weak)) void __sanitizer_print_stack_trace(void);

static void tell(const char *kind, const char *text) {
  dprintf(channel, "\nmneme-replay: %s: %s\n", kind, text);
}

static NORETURN void fail(const char *kind, const char *text) {
  tell(kind, text);
  if (__sanitizer_print_stack_trace != NULL)
    __sanitizer_print_stack_trace();
  abort();
}

static NORETURN void leave(int code, const char *kind, const char *text) {
  tell(kind, text);
  _exit(code);
}

/* ---- The test ---- */

struct reader {
  const unsigned char *at, *end;
};

static const unsigned char *take(struct reader *r, size_t length) {
  if ((size_t)(r->end - r->at) < length)
    leave(UNSUPPORTED, "unsupported", "the .ktest file is truncated");
  const unsigned char *taken = r->at;
  r->at += length;
  return taken;
}

static uint32_t number(struct reader *r) {
  const unsigned char *b = take(r, 4);
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void parse(struct reader r) {
  take(&r, 5); /* the magic word */
  uint32_t version = number(&r);
  for (uint32_t left = number(&r); left > 0; left--)
    take(&r, number(&r));
  if (version >= 2)
    take(&r, 8); /* symbolic arguments */
  input_count = number(&r);
  if (input_count > (size_t)(r.end - r.at) / 8)
    leave(UNSUPPORTED, "unsupported", "the .ktest file is truncated");
  inputs = calloc(input_count + 1, sizeof *inputs);
  for (uint32_t i = 0; i < input_count; i++) {
    inputs[i].name_length = number(&r);
    inputs[i].name = take(&r, inputs[i].name_length);
    inputs[i].length = number(&r);
    inputs[i].bytes = take(&r, inputs[i].length);
  }
}

/* What main and its callees left below its caller's frame; LeakSanitizer would find pointers in it. */
__attribute__((no_sanitize("address", "memory"), noinline)) static void clear_stack(void) {
  volatile char dead[1 << 16];
  for (size_t i = 0; i < sizeof dead; i++)
    dead[i] = 0;
}

/* MemorySanitizer does not look at exit codes; a parent process looks at their low byte. */
__attribute__((weak)) intptr_t __msan_test_shadow(const volatile void *memory, size_t size);
__attribute__((weak)) void __msan_check_mem_is_initialized(const volatile void *memory, size_t size);

/* ---- Inputs from outside ---- */

/* Writes bytes to a file, or ends the run. */
static void fill(int fd, const unsigned char *bytes, size_t size) {
  while (size > 0) {
    ssize_t written = write(fd, bytes, size);
    if (written <= 0)
      leave(UNSUPPORTED, "unsupported", "the inputs of the test cannot be put in place");
    bytes += written;
    size -= (size_t)written;
  }
}

/* Standard input becomes a pipe that holds these bytes, or a file where they are too many for one. */
static void set_standard_input(const unsigned char *bytes, size_t size) {
  int ends[2];
  if (size <= 1 << 16 && pipe(ends) == 0) {
    fill(ends[1], bytes, size);
    close(ends[1]);
  } else {
    ends[0] = memfd_create("stdin", 0);
    fill(ends[0], bytes, size);
    lseek(ends[0], 0, SEEK_SET);
  }
  dup2(ends[0], 0);
  close(ends[0]);
}

/* What the name says behind `prefix` and before one of two endings; NULL if it is not of that kind. */
static char *middle(const struct input *input, const char *prefix, const char *ending, const char *other) {
  size_t before = strlen(prefix), after = strlen(ending), length = input->name_length;
  const char *name = (const char *)input->name, *end = name + length - after;
  if (length <= before + after || memcmp(name, prefix, before) != 0)
    return NULL;
  if (memcmp(end, ending, after) != 0 && memcmp(end, other, after) != 0)
    return NULL;
  return strndup(name + before, length - before - after);
}

static bool lies_elsewhere(const char *name) { return name[0] == '/' || strstr(name, "..") != NULL; }

/* Names that lead elsewhere, and what stands for them in the run's own folder. */
static struct placed {
  struct placed *next;
  char *name, *place;
} *all_placed;

static const char *place_of(const char *name) {
  for (struct placed *one = all_placed; one != NULL; one = one->next)
    if (strcmp(one->name, name) == 0)
      return one->place;
  return NULL;
}

/* From now on `place` stands for `name`. */
const char *__mneme_place(const char *name, const char *place) {
  struct placed *one = malloc(sizeof *one);
  if (one == NULL)
    return name;
  *one = (struct placed){all_placed, strdup(name), strdup(place)};
  all_placed = one;
  return one->place;
}

/* The name of what stands for `name` in the folder: without slashes. The caller frees it. */
char *__mneme_name_here(const char *name) {
  char *here = malloc(strlen(name) + 11);
  if (here == NULL)
    return NULL;
  strcpy(here, "elsewhere-");
  strcat(here, name);
  for (char *c = here; *c != '\0'; c++)
    if (*c == '/')
      *c = '_';
  return here;
}

bool __mneme_lies_elsewhere(const char *name) { return lies_elsewhere(name); }

/* Where a file of the test is, or one that the program has made: in the run's own folder, which is the current one, under
 * its name without slashes if that leads elsewhere. Other names stay. */
const char *__mneme_placed(const char *name) {
  if (name == NULL || !lies_elsewhere(name))
    return name;
  const char *place = place_of(name);
  if (place != NULL)
    return place;
  size_t length = strlen(name);
  for (uint32_t i = 0; i < input_count; i++) {
    struct input *one = &inputs[i];
    if (one->name_length <= length || memcmp(one->name, name, length) != 0)
      continue;
    const unsigned char *end = one->name + length;
    size_t left = one->name_length - length;
    if (!(left == 5 && memcmp(end, "-data", 5) == 0) && !(left == 6 && memcmp(end, "-there", 6) == 0))
      continue;
    char *here = __mneme_name_here(name);
    place = here == NULL ? name : __mneme_place(name, here);
    free(here);
    return place;
  }
  return name;
}

static void make_file(const char *name, const struct input *input) {
  const char *placed = __mneme_placed(name);
  int fd = placed == name && lies_elsewhere(name) ? -1 : open(placed, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0)
    leave(UNSUPPORTED, "unsupported", "a file of the test cannot be made in the folder of a native run");
  fill(fd, input->bytes, input->length);
  close(fd);
}

/* Bytes of a real file, of which there is a copy in the folder: `name:offset`. */
static void patch_file(const struct input *input) {
  char *name = strndup((const char *)input->name, input->name_length), *colon = strrchr(name, ':'), *end;
  if (colon == NULL)
    return;
  long offset = strtol(colon + 1, &end, 10);
  *colon = '\0';
  int fd = *end != '\0' || name[0] == '/' || strstr(name, "..") != NULL ? -1 : open(name, O_WRONLY);
  if (fd < 0)
    return;
  if (lseek(fd, offset, SEEK_SET) == offset)
    fill(fd, input->bytes, input->length);
  close(fd);
}

/* Puts standard input, files and environment variables of the test in place. Names are Mneme's and KLEE's. */
static void place_inputs(void) {
  for (uint32_t i = 0; i < input_count; i++) {
    char *file = middle(&inputs[i], "", "-data", "_data"), *variable = middle(&inputs[i], "env-", "", "");
    if (inputs[i].name_length == 5 && memcmp(inputs[i].name, "stdin", 5) == 0)
      set_standard_input(inputs[i].bytes, inputs[i].length);
    else if (file != NULL)
      make_file(file, &inputs[i]);
    else if (variable != NULL && middle(&inputs[i], "env-", "-set", "-set") == NULL)
      setenv(variable, strndup((const char *)inputs[i].bytes, inputs[i].length), 1);
    else
      patch_file(&inputs[i]);
  }
}

/* Do the arguments say that something is symbolic? */
static bool ask_for_inputs(int count, char **words) {
  for (int i = 1; i < count; i++) {
    const char *word = words[i] + strspn(words[i], "-");
    if (word != words[i] && strncmp(word, "sym", 3) == 0 && (word[3] == '\0' || word[3] == '-'))
      return true;
    if (word != words[i] && strcmp(word, "max-fail") == 0)
      return true;
  }
  return false;
}

void __mneme_take_inputs(int *argc, char ***argv);

static struct input *next(const char *name);

/* The arguments in blocks of their own, so that AddressSanitizer watches them. */
static char **watched(int count, char **strings) {
  static char **copy; /* where LeakSanitizer finds it */
  copy = calloc(count + 1, sizeof *copy);
  for (int i = 0; i < count && copy != NULL; i++) {
    size_t size = strlen(strings[i]) + 1;
    copy[i] = malloc(size);
    if (copy[i] == NULL)
      return strings;
    memcpy(copy[i], strings[i], size);
  }
  return copy != NULL ? copy : strings;
}

/* The linker gives the start-up code this function for `main` (--wrap=main). */
__attribute__((weak)) int __real_main(int argc, char **argv, char **environment);
__attribute__((weak)) void __mneme_entry(void);
int __mneme_entry_main(void);
int __mneme_fuzz_main(int argc, char **argv);

/* The function of --entry, or else `main`, or else a fuzzer's target: what `mneme run` begins with. */
static int begin(int argc, char **argv, char **environment) {
  if (__mneme_entry != NULL)
    return __mneme_entry_main();
  return __real_main != NULL ? __real_main(argc, argv, environment) : __mneme_fuzz_main(argc, argv);
}

int __wrap_main(int argc, char **argv, char **environment) {
  if (__mneme_test_words != NULL) {
    argv = __mneme_test_words;
    for (argc = 0; argv[argc] != NULL;)
      argc++;
  }
  argv = watched(argc, argv);
  if (ask_for_inputs(argc, argv)) {
    place_inputs();
    struct input *version = next("model_version");
    if (version != NULL)
      version->used = true;
    __mneme_take_inputs(&argc, &argv);
    environment = environ;
  }
  int code = begin(argc, argv, environment);
  if (__msan_test_shadow != NULL && __msan_test_shadow(&code, 1) >= 0)
    tell("undefined-exit", "MemorySanitizer: the exit code is uninitialized");
  clear_stack();
  return code;
}

/* And the program this one for `exit`. */
NORETURN void __real_exit(int code);
NORETURN void __wrap_exit(int code) {
  if (__msan_check_mem_is_initialized != NULL)
    __msan_check_mem_is_initialized(&code, 1);
  __real_exit(code);
}

/* ---- Allocations ---- */

/* The numbers of those that have to fail, in order: `3,7`. */
static const char *to_fail = "";
static bool counting;
static unsigned long asked;

/* The program asks for so much that it cannot be meant. */
static void judge(size_t size) {
  const size_t excessive = (size_t)1 << 30;
  if (!counting || size <= excessive)
    return;
  char text[64];
  snprintf(text, sizeof text, "%zu bytes are asked for at once", size);
  tell("excessive-allocation", text);
  if (__sanitizer_print_stack_trace != NULL)
    __sanitizer_print_stack_trace();
}

static bool refused(void) {
  if (!counting)
    return false;
  unsigned long number = asked++;
  if (*to_fail == '\0' || strtoul(to_fail, NULL, 10) != number)
    return false;
  const char *comma = strchr(to_fail, ',');
  to_fail = comma == NULL ? "" : comma + 1;
  errno = ENOMEM;
  return true;
}

__attribute__((weak)) void __asan_poison_memory_region(const volatile void *memory, size_t size);

/* AddressSanitizer gives an allocation of 0 bytes one byte, which is not the program's. */
void *__mneme_guarded(void *block, size_t size) {
  if (block != NULL && size == 0 && __asan_poison_memory_region != NULL)
    __asan_poison_memory_region(block, 1);
  return block;
}

/* What the program calls instead (--wrap); in this file the names mean the real ones. */
void *__wrap_malloc(size_t size) {
  judge(size);
  return refused() ? NULL : __mneme_guarded(malloc(size), size);
}
void *__wrap_calloc(size_t count, size_t size) {
  size_t bytes;
  judge(__builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes);
  return refused() ? NULL : __mneme_guarded(calloc(count, size), count == 0 ? 0 : size);
}
void *__wrap_realloc(void *block, size_t size) {
  judge(size);
  return refused() ? NULL : realloc(block, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  judge(size);
  return refused() ? NULL : aligned_alloc(alignment, size);
}
/* One allocation each, which counts as the program's own. */
char *__wrap_strdup(const char *s) { return refused() ? NULL : strdup(s); }
char *__wrap_strndup(const char *s, size_t limit) { return refused() ? NULL : strndup(s, limit); }

static void start_counting(const char *list) {
  static char numbers[4096];
  if (list != NULL && strlen(list) < sizeof numbers)
    to_fail = strcpy(numbers, list);
  counting = true;
}

/* Before the program's own constructors. The environment is empty, as it is under `mneme run`. */
__attribute__((constructor(101))) static void load(void) {
  int copy = fcntl(2, F_DUPFD_CLOEXEC, 200);
  if (copy >= 0)
    channel = copy;
  if (__mneme_test != NULL) {
    parse((struct reader){__mneme_test, __mneme_test + __mneme_test_size});
    start_counting(__mneme_test_failing);
    return;
  }
  const char *path = getenv("MNEME_REPLAY");
  if (path == NULL)
    return;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0 || status.st_size == 0)
    leave(UNSUPPORTED, "unsupported", "the .ktest file cannot be read");
  unsigned char *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (bytes == MAP_FAILED)
    leave(UNSUPPORTED, "unsupported", "the .ktest file cannot be read");
  parse((struct reader){bytes, bytes + status.st_size});
  start_counting(getenv("MNEME_REPLAY_FAIL"));
  const char *kept = getenv("MNEME_REPLAY_STDIN");
  int input = kept == NULL ? -1 : open(kept, O_RDONLY | O_CLOEXEC);
  if (input >= 0) {
    static unsigned char all[1 << 16];
    ssize_t size = fstat(input, &status) == 0 && status.st_size <= (off_t)sizeof all ? read(input, all, sizeof all) : -1;
    if (size >= 0)
      set_standard_input(all, (size_t)size);
    else
      dup2(input, 0);
  }
  clearenv();
  umask(022);
  /* What is written is seen although the program may end by _exit. */
  setvbuf(stdout, NULL, _IONBF, 0);
}

static struct input *unused(const char *name) {
  size_t length = strlen(name);
  for (uint32_t i = 0; i < input_count; i++) {
    struct input *input = &inputs[i];
    if (!input->used && input->name_length == length && memcmp(input->name, name, length) == 0)
      return input;
  }
  return NULL;
}

/* KLEE gives the same name several times, in order of use; Mneme calls the next ones name_1, name_2 … */
static struct input *next(const char *name) {
  struct input *input = unused(name);
  char numbered[4200];
  for (uint32_t n = 1; input == NULL && n <= input_count; n++) {
    snprintf(numbered, sizeof numbered, "%s_%u", name, n);
    input = unused(numbered);
  }
  return input;
}

/* All bytes of the next input of that name; NULL if there is none. */
PUBLIC const unsigned char *__mneme_test_bytes(const char *name, size_t *size) {
  struct input *input = next(name);
  if (input == NULL)
    return NULL;
  input->used = true;
  *size = input->length;
  return input->bytes;
}

/* The world outside is the real one. */
PUBLIC void __mneme_stays_concrete(const char *source, const char *name, const char *option) {
  (void)source, (void)name, (void)option;
}

PUBLIC void __mneme_arguments(int argc, char **argv, char **environment) { (void)argc, (void)argv, (void)environment; }

PUBLIC void klee_make_symbolic(void *object, size_t size, const char *name) {
  if (name == NULL)
    name = "unnamed";
  struct input *input = next(name);
  if (input == NULL)
    leave(DEPARTED, "no-input", name);
  if (input->length != size)
    leave(DEPARTED, "other-size", name);
  input->used = true;
  memcpy(object, input->bytes, size);
}

/* ---- Ends of a path ---- */

PUBLIC void klee_assume(uintptr_t condition) {
  if (!condition)
    leave(EXCLUDED, "excluded", "an assumption of the harness does not hold");
}

PUBLIC NORETURN void klee_silent_exit(int status) {
  (void)status;
  leave(EXCLUDED, "excluded", "the harness discards the path");
}

PUBLIC NORETURN void __mneme_abort(void) { abort(); }

PUBLIC NORETURN void __mneme_assert_fail(const char *expression, const char *file, unsigned line, const char *function) {
  (void)file, (void)line, (void)function;
  fail("assertion", expression);
}

PUBLIC NORETURN void __mneme_reach_error(void) { fail("reach-error", "the error location is reached"); }

PUBLIC NORETURN void __mneme_report(const char *message, const char *file, int line) {
  (void)file, (void)line;
  fail("report", message);
}

/* ---- Values and memory ---- */

PUBLIC unsigned klee_is_replay(void) { return 1; }
PUBLIC int __mneme_is_symbolic(unsigned long value) { return (void)value, 0; }
PUBLIC unsigned long __mneme_concretize(unsigned long value) { return value; }
PUBLIC unsigned long __mneme_fix(unsigned long value) { return value; }

/* AddressSanitizer's runtime has its own of these; under other tools nothing is poisoned. */
PUBLIC void __asan_poison_memory_region(const volatile void *start, size_t size) { (void)start, (void)size; }
PUBLIC void __asan_unpoison_memory_region(const volatile void *start, size_t size) { (void)start, (void)size; }
PUBLIC int __asan_address_is_poisoned(const volatile void *address) { return (void)address, 0; }
PUBLIC void *__asan_region_is_poisoned(void *start, size_t size) { return (void)start, (void)size, NULL; }
__attribute__((weak)) const char *__asan_locate_address(void *address, char *name, size_t name_size, void **start,
                                                        size_t *size);

PUBLIC void __mneme_poison(const void *start, size_t size) { __asan_poison_memory_region(start, size); }
PUBLIC void __mneme_unpoison(const void *start, size_t size) { __asan_unpoison_memory_region(start, size); }

PUBLIC int __mneme_may_share(const void *a, const void *b) { return (void)a, (void)b, 1; }

PUBLIC void __mneme_apart(const void *to, size_t to_size, const void *from, size_t from_size) {
  uintptr_t t = (uintptr_t)to, f = (uintptr_t)from;
  if (t < f + from_size && f < t + to_size)
    fail("overlap", "a copy between ranges that overlap");
}

/* Read byte by byte, so that the sanitizer sees each. */
PUBLIC void __mneme_read_all(const void *start, size_t size) {
  for (const volatile char *byte = start; size > 0; size--)
    (void)*byte++;
}

/* Written with what is there. */
PUBLIC void __mneme_write_all(const void *start, size_t size) {
  for (volatile char *byte = (volatile char *)start; size > 0; size--, byte++)
    *byte = *byte;
}

PUBLIC size_t __mneme_object_size(const void *pointer) {
  char name[8];
  void *start = NULL;
  size_t size = 0;
  if (__asan_locate_address == NULL || __asan_locate_address((void *)pointer, name, sizeof name, &start, &size) == NULL ||
      start == NULL)
    leave(UNSUPPORTED, "unsupported", "the size of an object is not known natively");
  return size;
}

/* ---- Output ---- */

/* Where layer.c stands before them, these do not ask the test. */
__attribute__((weak)) size_t __real_fwrite(const void *from, size_t size, size_t count, FILE *stream);
__attribute__((weak)) ssize_t __real_write(int fd, const void *from, size_t size);

/* Through the buffers of the C library, which other functions of it use as well. */
PUBLIC bool __mneme_put(FILE *stream, const void *bytes, size_t size) {
  return (__real_fwrite != NULL ? __real_fwrite : fwrite)(bytes, 1, size, stream) == size;
}
PUBLIC long __stream_write(int fd, const void *bytes, size_t size) {
  return (__real_write != NULL ? __real_write : write)(fd, bytes, size);
}

/* ---- What only an exploration needs ---- */

PUBLIC void klee_warning(const char *message) { (void)message; }
PUBLIC void klee_warning_once(const char *message) { (void)message; }
PUBLIC void klee_print_expr(const char *message, ...) { (void)message; }
PUBLIC void klee_print_range(const char *name, int argument) { (void)name, (void)argument; }
PUBLIC void klee_stack_trace(void) {}
PUBLIC void klee_open_merge(void) {}
PUBLIC void klee_close_merge(void) {}
PUBLIC void klee_set_forking(unsigned enable) { (void)enable; }

PUBLIC void klee_define_fixed_object(void *address, size_t size) {
  (void)address, (void)size;
  leave(UNSUPPORTED, "unsupported", "klee_define_fixed_object has no native counterpart");
}

PUBLIC void klee_alias_function(const char *from, const char *to) {
  (void)from, (void)to;
  leave(UNSUPPORTED, "unsupported", "klee_alias_function has no native counterpart");
}
