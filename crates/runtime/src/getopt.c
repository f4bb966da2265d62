/* Options among the arguments: getopt, getopt_long and getopt_long_only as glibc has them, which moves what is no
 * option behind the options. Absent: "W;" in the list of options, and POSIXLY_CORRECT in the environment (a `+` in
 * front of the list says the same). */
#include "libc.h"

int fprintf(FILE *restrict stream, const char *restrict format, ...);

PUBLIC char *optarg;
PUBLIC int optind = 1, opterr = 1, optopt = '?';

enum { NO_ARGUMENT, ARGUMENT, OPTIONAL_ARGUMENT };
struct option {
  const char *name;
  int argument;
  int *flag;
  int value;
};

/* Long options, if the program has them. */
struct long_options {
  const struct option *list;
  int *index;
  bool only; /* a single dash may begin one, too */
};

enum order { MOVE_OTHERS, STOP_AT_OTHERS, GIVE_OTHERS };

static const char *rest;       /* what is left of a word of short options */
static int others, others_end; /* the words that are no options, which the scan has passed */
static bool begun;

static bool is_option(const char *word) { return word[0] == '-' && word[1] != '\0'; }

static void turn_round(char **words, int first, int end) {
  for (int last = end - 1; first < last; first++, last--) {
    char *word = words[first];
    words[first] = words[last];
    words[last] = word;
  }
}

/* Moves the options that follow `others` before them. */
static void move_others(char **words) {
  int moved = optind - others_end;
  turn_round(words, others, others_end);
  turn_round(words, others_end, optind);
  turn_round(words, others, optind);
  others += moved;
  others_end = optind;
}

/* The value for an argument that is missing. */
static int missing(const char *options) { return options[0] == ':' ? ':' : '?'; }

static bool speaks(const char *options) { return opterr && options[0] != ':'; }

/* The long option with this name, or the only one that begins so; its place, -1 if there is none, -2 if there are
 * several. */
PLAIN static int find_long(const struct long_options *from, const char *name, size_t length) {
  int found = -1;
  bool several = false;
  for (int i = 0; from->list[i].name != NULL; i++) {
    const struct option *one = &from->list[i];
    if (strncmp(one->name, name, length) != 0)
      continue;
    if (strlen(one->name) == length)
      return i;
    if (found < 0) {
      found = i;
      continue;
    }
    const struct option *first = &from->list[found];
    several |= from->only || first->argument != one->argument || first->flag != one->flag || first->value != one->value;
  }
  return several ? -2 : found;
}

/* The long option at `rest`, behind `dashes`; -1 if there is none and the word may be short options. */
PLAIN static int take_long(int count, char **words, const char *options, const struct long_options *from,
                           const char *dashes) {
  const char *name = rest;
  size_t length = 0;
  while (name[length] != '\0' && name[length] != '=')
    length++;
  int place = find_long(from, name, length);
  if (place == -1 && from->only && words[optind][1] != '-' && strchr(options, *name) != NULL)
    return -1;
  rest = NULL;
  optind++;
  if (place < 0) {
    if (speaks(options))
      fprintf(stderr, place == -1 ? "%s: unrecognized option '%s%s'\n" : "%s: option '%s%s' is ambiguous\n", words[0], dashes,
              name);
    optopt = 0;
    return '?';
  }
  const struct option *one = &from->list[place];
  if (name[length] == '=') {
    if (one->argument == NO_ARGUMENT) {
      if (speaks(options))
        fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", words[0], dashes, one->name);
      optopt = one->value;
      return '?';
    }
    optarg = (char *)name + length + 1;
  } else if (one->argument == ARGUMENT) {
    if (optind >= count) {
      if (speaks(options))
        fprintf(stderr, "%s: option '%s%s' requires an argument\n", words[0], dashes, one->name);
      optopt = one->value;
      return missing(options);
    }
    optarg = words[optind++];
  }
  if (from->index != NULL)
    *from->index = place;
  if (one->flag == NULL)
    return one->value;
  *one->flag = one->value;
  return 0;
}

/* The short option at `rest`. */
PLAIN static int take_short(int count, char **words, const char *options) {
  char c = *rest++;
  const char *one = strchr(options, c);
  bool is_last = *rest == '\0';
  if (is_last)
    optind++;
  if (one == NULL || c == ':' || c == ';') {
    if (speaks(options))
      fprintf(stderr, "%s: invalid option -- '%c'\n", words[0], c);
    optopt = (unsigned char)c;
    return '?';
  }
  if (one[1] != ':')
    return c;
  bool optional = one[2] == ':';
  const char *behind = rest;
  rest = NULL;
  if (!is_last) {
    optarg = (char *)behind;
    optind++;
  } else if (optional) {
    optarg = NULL;
  } else if (optind == count) {
    if (speaks(options))
      fprintf(stderr, "%s: option requires an argument -- '%c'\n", words[0], c);
    optopt = (unsigned char)c;
    return missing(options);
  } else {
    optarg = words[optind++];
  }
  return c;
}

PLAIN static int next(int count, char **words, const char *options, const struct long_options *from, bool posix) {
  optarg = NULL;
  if (count < 1)
    return -1;
  if (optind == 0 || !begun) {
    if (optind == 0)
      optind = 1;
    others = others_end = optind;
    rest = NULL;
    begun = true;
  }
  enum order order = posix ? STOP_AT_OTHERS : MOVE_OTHERS;
  if (*options == '-' || *options == '+')
    order = *options++ == '-' ? GIVE_OTHERS : STOP_AT_OTHERS;
  if (rest != NULL && *rest != '\0')
    return take_short(count, words, options);

  if (others_end > optind)
    others_end = optind;
  if (others > optind)
    others = optind;
  if (order == MOVE_OTHERS) {
    if (others != others_end && others_end != optind)
      move_others(words);
    else if (others_end != optind)
      others = optind;
    while (optind < count && !is_option(words[optind]))
      optind++;
    others_end = optind;
  }
  if (optind != count && strcmp(words[optind], "--") == 0) {
    optind++;
    if (others != others_end && others_end != optind)
      move_others(words);
    else if (others == others_end)
      others = optind;
    optind = others_end = count;
  }
  if (optind == count) {
    if (others != others_end)
      optind = others;
    return -1;
  }
  const char *word = words[optind];
  if (!is_option(word)) {
    if (order == STOP_AT_OTHERS)
      return -1;
    optarg = words[optind++];
    return 1;
  }
  if (from != NULL && word[1] == '-') {
    rest = word + 2;
    return take_long(count, words, options, from, "--");
  }
  rest = word + 1;
  if (from != NULL && from->only && (word[2] != '\0' || strchr(options, word[1]) == NULL)) {
    int value = take_long(count, words, options, from, "-");
    if (value != -1)
      return value;
  }
  return take_short(count, words, options);
}

PUBLIC int getopt(int count, char *const *words, const char *options) {
  return next(count, (char **)words, options, NULL, false);
}
PUBLIC int __posix_getopt(int count, char *const *words, const char *options) {
  return next(count, (char **)words, options, NULL, true);
}
PUBLIC int getopt_long(int count, char *const *words, const char *options, const struct option *list, int *index) {
  struct long_options from = {list, index, false};
  return next(count, (char **)words, options, &from, false);
}
PUBLIC int getopt_long_only(int count, char *const *words, const char *options, const struct option *list, int *index) {
  struct long_options from = {list, index, true};
  return next(count, (char **)words, options, &from, false);
}
