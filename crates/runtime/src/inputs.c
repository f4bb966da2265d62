/* Inputs from outside: which of them are symbolic, as words among the program's arguments say (KLEE's spellings, and
 * ours).
 *
 * `mneme run` turns its options into these words, and a test keeps them with the arguments; so a native run, which is
 * linked with this file, too, takes the same arguments apart and finds in the test what they stand for. Standard input,
 * files and the environment are made when the program first looks at them (files.c, environment.c); natively they are
 * there from the start. Random numbers and the clock are the same code on both sides. */
#include "libc.h"

struct symbolic_inputs __mneme_inputs;

static bool is(const char *word, const char *option) {
  if (word[0] != '-')
    return false;
  return strcmp(word + (word[1] == '-' ? 2 : 1), option) == 0;
}

static bool number(const char *word, size_t *to) {
  size_t n = 0, digits = 0;
  for (; word[digits] >= '0' && word[digits] <= '9' && n < 1 << 24; digits++)
    n = n * 10 + (size_t)(word[digits] - '0');
  *to = n;
  return digits > 0 && word[digits] == '\0';
}

/* The next words as numbers, if they are. */
static bool numbers(char **words, int count, int left, size_t *to) {
  if (left < count)
    return false;
  for (int i = 0; i < count; i++)
    if (!number(words[i], &to[i]))
      return false;
  return true;
}

/* A string of at most `most` characters. As with KLEE, its block has room for the longest. */
static char *string(const char *name, size_t most) {
  static char *strings[MOST_WORDS]; /* reachable from here: no leak */
  static size_t count;
  char *text = malloc(most + 1);
  if (text == NULL || count == MOST_WORDS)
    klee_silent_exit(0);
  strings[count++] = text;
  klee_make_symbolic(text, most + 1, name);
  text[most] = '\0';
  return text;
}

static char *argument(size_t most) {
  static unsigned made;
  char name[] = {'a', 'r', 'g', (char)('0' + made / 10 % 10), (char)('0' + made % 10), '\0'};
  made++;
  char *text = string(name, most);
  if (__mneme_inputs.no_dash)
    klee_assume(text[0] != '-');
  return text;
}

char *__mneme_symbolic_variable(const char *name, size_t most) {
  char *label = malloc(strlen(name) + 9);
  if (label == NULL)
    klee_silent_exit(0);
  strcpy(label, "env-");
  strcat(label, name);
  size_t length = strlen(label);
  strcat(label, "-set");
  unsigned char set;
  klee_make_symbolic(&set, sizeof set, label);
  label[length] = '\0';
  char *text = set & 1 ? string(label, most) : NULL;
  free(label);
  return text;
}

enum fate __mneme_fate(const char *call, int error, enum fate worst) {
  if (__mneme_inputs.failures == 0)
    return WORKS;
  char label[24];
  strcpy(label, call);
  strcat(label, "-fails");
  unsigned char outcome;
  klee_make_symbolic(&outcome, sizeof outcome, label);
  klee_assume(outcome <= worst);
  if (outcome == WORKS)
    return WORKS;
  __mneme_inputs.failures--;
  if (outcome == IS_SHORT)
    return IS_SHORT;
  errno = error;
  return FAILS;
}

/* The vector of arguments that is being made. */
static struct {
  char *words[MOST_WORDS + 1];
  int count;
} out;

static void add(char *word) {
  if (out.count < MOST_WORDS)
    out.words[out.count++] = word;
}

/* Between `least` and `most` arguments: one path for each number. */
static PLAIN void add_several(size_t least, size_t most, size_t length) {
  int n = (int)least;
  if (least < most) {
    klee_make_symbolic(&n, sizeof n, "n_args");
    klee_assume((n >= (int)least) & (n <= (int)most));
  }
  for (size_t i = 0; i < most; i++) {
    if (i >= least && (int)i >= n)
      break;
    add(argument(length));
  }
}

static void add_file(const char *name, size_t most) {
  if (__mneme_inputs.file_count < MOST_SYMBOLIC)
    __mneme_inputs.files[__mneme_inputs.file_count++] = (struct named_size){name, most};
}

static void letter_files(size_t count, size_t most) {
  static char names[26][2];
  for (size_t i = 0; i < count && i < 26; i++) {
    names[i][0] = (char)('A' + i);
    add_file(names[i], most);
  }
}

/* FILE:OFFSET:LEN */
static bool add_part(const char *word) {
  struct file_part part;
  const char *first = NULL, *second = NULL;
  for (const char *c = word; *c != '\0'; c++)
    if (*c == ':')
      first = second, second = c;
  if (first == NULL || __mneme_inputs.part_count == MOST_SYMBOLIC || !number(second + 1, &part.length))
    return false;
  size_t length = (size_t)(first - word), digits = (size_t)(second - first - 1);
  char *copy = malloc(length + digits + 2);
  if (copy == NULL)
    klee_silent_exit(0);
  memcpy(copy, first + 1, digits);
  copy[digits] = '\0';
  bool valid = number(copy, &part.offset);
  memcpy(copy, word, length);
  copy[length] = '\0';
  part.name = copy;
  if (valid)
    __mneme_inputs.parts[__mneme_inputs.part_count++] = part;
  return valid;
}

/* What `--sym all` means where no size is given. */
static void ask_for_all(void) {
  struct symbolic_inputs *in = &__mneme_inputs;
  in->every_file = in->every_variable = in->random = in->clock = true;
  if (!in->standard_input) {
    in->standard_input = true;
    in->standard_input_most = MODEST_INPUT;
  }
  if (in->connection_most == 0)
    in->connection_most = MODEST_INPUT;
}

/* How many words the option at `words` takes; 0 if it is none. */
static PLAIN int option(char **words, int left) {
  struct symbolic_inputs *in = &__mneme_inputs;
  const char *word = words[0];
  size_t n[3];
  if (is(word, "sym-arg") && numbers(words + 1, 1, left - 1, n))
    return add(argument(n[0])), 2;
  if (is(word, "sym-args") && numbers(words + 1, 3, left - 1, n))
    return add_several(n[0], n[1], n[2]), 4;
  if (is(word, "sym-args-no-dash"))
    return in->no_dash = true, 1;
  if (is(word, "sym-stdin") && numbers(words + 1, 1, left - 1, n))
    return in->standard_input = true, in->standard_input_most = n[0], 2;
  if (is(word, "sym-files") && numbers(words + 1, 2, left - 1, n))
    return letter_files(n[0], n[1]), 3;
  if (is(word, "sym-file") && left >= 3 && number(words[2], n))
    return add_file(words[1], n[0]), 3;
  if (is(word, "sym-env") && left >= 3 && number(words[2], n)) {
    if (in->variable_count < MOST_SYMBOLIC)
      in->variables[in->variable_count++] = (struct named_size){words[1], n[0]};
    return 3;
  }
  if (is(word, "sym-bytes") && left >= 2 && add_part(words[1]))
    return 2;
  if (is(word, "sym-socket") && numbers(words + 1, 1, left - 1, n))
    return in->connection_most = n[0], 2;
  if ((is(word, "sym-failures") || is(word, "max-fail")) && numbers(words + 1, 1, left - 1, n))
    return in->failures = n[0], 2;
  if (is(word, "sym-rand"))
    return in->random = true, 1;
  if (is(word, "sym-time"))
    return in->clock = true, 1;
  if (is(word, "sym") && left >= 2 && strcmp(words[1], "all") == 0)
    return ask_for_all(), 2;
  if (is(word, "sym-stdout") || is(word, "save-all-writes"))
    return 1; /* what is written is never lost here */
  return 0;
}

/* Takes the options out of the arguments, and puts symbolic ones where they stand. */
void __mneme_take_inputs(int *argc, char ***argv) {
  for (int i = 0; i < *argc;) {
    int taken = i == 0 ? 0 : option(*argv + i, *argc - i);
    if (taken == 0)
      add((*argv)[i++]);
    i += taken;
  }
  static char **vector; /* reachable from here: no leak */
  vector = malloc((size_t)(out.count + 1) * sizeof *vector);
  if (vector == NULL)
    klee_silent_exit(0);
  for (int i = 0; i < out.count; i++)
    vector[i] = out.words[i];
  vector[out.count] = NULL;
  *argc = out.count;
  *argv = vector;
}

/* What the engine calls first if the arguments ask for symbolic inputs. */
void __mneme_make_inputs(int argc, char **argv, char **environment) {
  int version = 1;
  klee_make_symbolic(&version, sizeof version, "model_version");
  klee_assume(version == 1);
  __mneme_take_inputs(&argc, &argv);
  __mneme_arguments(argc, argv, environment);
}
