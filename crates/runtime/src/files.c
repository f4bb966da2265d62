/* The file system of a path. What the program makes lives in memory, by name; symbolic files are made when they are
 * opened; behind both lies the world outside, which is read and never written. /dev/null and /dev/zero are everywhere.
 *
 * A name that depends on inputs means one of the files that the path knows, with --sym all also one that is called A, or
 * else none: files outside are found by known names only. Absent: links, times, and refusals by permissions. */
#include "files.h"

int snprintf(char *restrict to, size_t size, const char *restrict format, ...);

struct file *__files;

/* What a path may write, so that a program that writes for ever comes to an end; native runs have the same limits. */
enum { MOST_BYTES = 1 << 28, MOST_TOGETHER = 1 << 30, EFBIG = 27 };

/* Both are as long as their last zero says; one fork at most. */
static bool same(const char *a, const char *b) {
  size_t length = strlen(a);
  if (length != strlen(b))
    return false;
  unsigned difference = 0;
  for (size_t i = 0; i < length; i++)
    difference |= (unsigned char)a[i] ^ (unsigned char)b[i];
  return difference == 0;
}

static struct file *named(const char *name) {
  for (struct file *file = __files; file != NULL; file = file->next)
    if (file->name != NULL && same(file->name, name))
      return file;
  return NULL;
}

static struct file *add(char *name) {
  struct file *file = calloc(1, sizeof *file);
  if (file == NULL)
    return NULL;
  file->name = name;
  file->permissions = 0644;
  file->next = __files;
  return __files = file;
}

/* ---- names ---- */

static bool is_symbolic(const char *name) {
  for (; !__mneme_is_symbolic((unsigned char)*name); name++)
    if (*name == '\0')
      return false;
  return true;
}

static char *copy(const char *text, size_t length) {
  char *to = malloc(length + 1);
  if (to == NULL)
    return NULL;
  memcpy(to, text, length);
  to[length] = '\0';
  return to;
}

/* Removes `.`, `..` and empty parts. `..` at the beginning stays. */
static void tidy(char *name) {
  char *to = name, *start = name;
  const char *from = name;
  if (*from == '/')
    start = to = name + 1, from++;
  while (*from != '\0') {
    size_t length = 0;
    while (from[length] != '\0' && from[length] != '/')
      length++;
    bool up = length == 2 && from[0] == '.' && from[1] == '.';
    char *last = to;
    while (last > start && last[-1] != '/')
      last--;
    bool above = to == start || (to - last == 2 && last[0] == '.' && last[1] == '.');
    if (up && !above) {
      to = last > start ? last - 1 : start;
    } else if (length > 0 && !(length == 1 && from[0] == '.') && !(up && *name == '/')) {
      if (to > start)
        *to++ = '/';
      memmove(to, from, length);
      to += length;
    }
    from += length;
    if (*from == '/')
      from++;
  }
  *to = '\0';
}

/* Without the root in front. */
static void make_relative(char *name) {
  char root[4096];
  __mneme_outside_directory(root, sizeof root);
  size_t length = strlen(root);
  if (strncmp(name, root, length) != 0 || (name[length] != '/' && name[length] != '\0'))
    return;
  const char *rest = name[length] == '/' ? name + length + 1 : name + length;
  memmove(name, rest, strlen(rest) + 1);
}

/* `directory/name`. */
static char *joined(const char *directory, const char *name) {
  size_t before = strlen(directory), after = strlen(name);
  char *to = malloc(before + after + 2);
  if (to == NULL)
    return NULL;
  memcpy(to, directory, before);
  to[before] = '/';
  memcpy(to + before + 1, name, after + 1);
  return to;
}

char *__file_here = "";

/* Whether a name leads through directories; two forks at most. */
static PLAIN bool is_a_way(const char *name, size_t length) {
  unsigned slashes = 0;
  for (size_t i = 0; i < length; i++)
    slashes |= name[i] == '/';
  if (slashes)
    return true;
  if ((name[0] == '.') & ((length == 1) | ((length == 2) & (name[1] == '.'))))
    return true;
  return false;
}

/* The one name of what `directory` calls `name`. */
static char *name_within(const char *directory, const char *name, bool *symbolic) {
  size_t length = strlen(name);
  *symbolic = is_symbolic(name) && !is_a_way(name, length);
  char *own = *directory != '\0' && (*symbolic || name[0] != '/') ? joined(directory, name) : copy(name, length);
  if (own == NULL || *symbolic)
    return own;
  /* Where directories come in, one name stands for all. */
  for (char *c = own; *c != '\0'; c++)
    *c = (char)__mneme_fix((unsigned char)*c);
  tidy(own);
  if (own[0] == '/')
    make_relative(own);
  return own;
}

char *__file_name(const char *name, bool *symbolic) { return name_within(__file_here, name, symbolic); }

char *__file_absolute(const char *name) {
  char root[4096];
  __mneme_outside_directory(root, sizeof root);
  char *own = name[0] == '/' ? copy(name, strlen(name)) : joined(root, name);
  if (own != NULL)
    tidy(own);
  return own;
}

bool __file_is_directory_name(const char *name) {
  size_t length = strlen(name);
  return length > 0 && name[length - 1] == '/';
}

/* Whether it leads out of the root. */
static bool is_away(const char *name) { return name[0] == '/' || (name[0] == '.' && name[1] == '.'); }

/* A directory that the root lies in: it is there, whatever else is in it. */
static bool is_above(const char *name) {
  char *own = is_away(name) ? __file_absolute(name) : NULL;
  if (own == NULL)
    return false;
  char root[4096];
  __mneme_outside_directory(root, sizeof root);
  size_t length = strlen(own);
  bool above = length == 1 || (strncmp(root, own, length) == 0 && (root[length] == '/' || root[length] == '\0'));
  free(own);
  return above;
}

const char *__file_within(const char *directory, const char *name) {
  size_t length = strlen(directory);
  if (length > 0) {
    if (strlen(name) <= length || !(strncmp(name, directory, length) == 0 && name[length] == '/'))
      return NULL;
    name += length + 1;
  }
  return *name == '\0' || strchr(name, '/') != NULL ? NULL : name;
}

/* ---- contents ---- */

static bool reserve(struct file *file, size_t size) {
  if (size <= file->capacity)
    return true;
  size_t larger = size * 2 < 64 ? 64 : size * 2;
  unsigned char *grown = realloc(file->bytes, larger);
  if (grown == NULL)
    return false;
  memset(grown + file->capacity, 0, larger - file->capacity);
  file->bytes = grown;
  file->capacity = larger;
  return true;
}

bool __file_grow(struct file *file, size_t size) {
  static size_t together;
  if (size <= file->capacity)
    return true;
  if (file->fixed || size > MOST_BYTES || size - file->capacity > MOST_TOGETHER - together) {
    errno = size > MOST_BYTES ? EFBIG : ENOSPC;
    return false;
  }
  size_t before = file->capacity;
  if (!reserve(file, size))
    return false;
  size_t grown = file->capacity - before;
  together = grown > MOST_TOGETHER - together ? MOST_TOGETHER : together + grown;
  return true;
}

/* Fills the file with a symbolic input of that name, of any size up to `most`. */
static void fill_symbolic(struct file *file, const char *name, size_t most) {
  size_t length = strlen(name);
  char *label = malloc(length + 6);
  if (label == NULL || !reserve(file, most))
    klee_silent_exit(0);
  strcpy(label, name);
  strcat(label, "-size");
  klee_make_symbolic(&file->size, sizeof file->size, label);
  klee_assume(file->size <= most);
  label[length] = '\0';
  if (most > 0)
    __mneme_make_input(file->bytes, most, file->size, label);
  free(label);
}

static void fill_from_outside(struct file *file, const char *name, size_t size) {
  if (size > 0 && !reserve(file, size))
    klee_silent_exit(0);
  if (size > 0)
    __mneme_outside_bytes(name, file->bytes);
  file->size = size;
}

/* Whether an option means the file of this name, however it spells it. */
static bool means(const char *asked, const char *name) {
  bool symbolic;
  char *own = name_within("", asked, &symbolic);
  bool yes = own != NULL && same(own, name);
  free(own);
  return yes;
}

/* Makes the parts of a real file symbolic that were asked for, as far as it has them. Whether it has any. */
static bool fill_parts(struct file *file) {
  bool any = false;
  for (int i = 0; i < __mneme_inputs.part_count; i++) {
    struct file_part part = __mneme_inputs.parts[i];
    if (!means(part.name, file->name) || part.offset >= file->size || part.length == 0)
      continue;
    any = true;
    if (part.length > file->size - part.offset)
      part.length = file->size - part.offset;
    size_t room = strlen(file->name) + 24;
    char *label = malloc(room);
    if (label == NULL)
      klee_silent_exit(0);
    snprintf(label, room, "%s:%lu", file->name, (unsigned long)part.offset);
    klee_make_symbolic(file->bytes + part.offset, part.length, label);
    free(label);
  }
  return any;
}

struct file *__file_load(struct file *file) {
  if (file == NULL || file->loaded)
    return file;
  file->loaded = true;
  if (file->most > 0) {
    char *label = malloc(strlen(file->name) + 6);
    if (label == NULL)
      klee_silent_exit(0);
    strcpy(label, file->name);
    strcat(label, "-data");
    fill_symbolic(file, label, file->most);
    free(label);
  } else if (file->kind == ORDINARY) {
    fill_from_outside(file, file->name, file->size);
    if (!fill_parts(file))
      __mneme_stays_concrete("the file", file->name, "--sym-file NAME 16");
  }
  return file;
}

struct file *__file_standard_input(void) {
  static struct file *input;
  if (input != NULL)
    return input;
  input = add(NULL);
  if (input == NULL)
    klee_silent_exit(0);
  input->kind = CONSOLE;
  input->loaded = true;
  if (__mneme_inputs.standard_input) {
    fill_symbolic(input, "stdin", __mneme_inputs.standard_input_most);
  } else {
    __mneme_stays_concrete("standard input", NULL, "--sym-stdin 16");
    fill_from_outside(input, NULL, (size_t)__mneme_outside_size(NULL));
  }
  return input;
}

struct file *__file_connection(void) {
  if (__mneme_inputs.connection_most == 0) {
    __mneme_stays_concrete("connections", NULL, "--sym-socket 16");
    return NULL;
  }
  struct file *connection = add(NULL);
  if (connection == NULL)
    return NULL;
  connection->kind = CONNECTION;
  connection->loaded = true;
  fill_symbolic(connection, "connection", __mneme_inputs.connection_most);
  return connection;
}

/* ---- what there is ---- */

static size_t symbolic_size(const char *name) {
  for (int i = 0; i < __mneme_inputs.file_count; i++)
    if (same(__mneme_inputs.files[i].name, name))
      return __mneme_inputs.files[i].most;
  return 0;
}

/* Whether the file is there: both. */
static bool may_appear(const char *name) {
  char *label = malloc(strlen(name) + 7);
  if (label == NULL)
    klee_silent_exit(0);
  strcpy(label, name);
  strcat(label, "-there");
  unsigned char there;
  klee_make_symbolic(&there, sizeof there, label);
  free(label);
  return there & 1;
}

/* What names say. */
enum origin { FIXED, SYMBOLIC, ONE_OF_MANY };

/* The file, known from now on, that the world outside or an option of the run has under this name. */
static struct file *discover(char *name, enum origin origin) {
  bool symbolic = origin == SYMBOLIC;
  size_t most = symbolic_size(name);
  bool zeros = !symbolic && strcmp(name, "/dev/zero") == 0, nothing = !symbolic && strcmp(name, "/dev/null") == 0;
  bool directory = !symbolic && (*name == '\0' || is_above(name));
  /* With --sym all, what lies outside of the root may be there or not; nothing is there that only inputs name. */
  bool away = (__mneme_inputs.every_file || origin == ONE_OF_MANY) && !symbolic && is_away(name);
  long size = 0;
  if (most == 0 && !zeros && !nothing && !directory) {
    size = symbolic || away ? -ENOENT : __mneme_outside_size(name);
    directory = size == -EISDIR;
    if (size < 0 && !directory) {
      errno = (int)-size;
      return NULL;
    }
  }
  struct file *file = add(name);
  if (file == NULL)
    return NULL;
  file->kind = zeros ? ZEROS : nothing ? NOTHING : directory ? DIRECTORY : ORDINARY;
  file->permissions = zeros || nothing ? 0666 : directory ? 0755 : 0644;
  file->most = most;
  file->size = most > 0 || directory ? 0 : (size_t)size;
  return file;
}

/* A file that the program looks for and that is not there: with --sym all it may be. */
static struct file *miss(char *name, enum origin origin) {
  if (!__mneme_inputs.every_file) {
    /* Of files that inputs name, one is enough. */
    if (origin == FIXED)
      __mneme_stays_concrete("the file", name, "--sym-file NAME 16");
    else if (__mneme_inputs.file_count == 0)
      __mneme_stays_concrete("every file that inputs name", NULL, "--sym-file A 16");
    free(name);
    return NULL;
  }
  if (origin == SYMBOLIC) {
    bool is_a = name[0] == 'A' && name[1] == '\0';
    free(name);
    errno = ENOENT;
    if (!is_a)
      return NULL;
    if ((name = copy("A", 1)) == NULL)
      return NULL;
  }
  bool there = may_appear(name);
  struct file *file = add(name);
  if (file == NULL)
    return NULL;
  file->kind = there ? ORDINARY : REMOVED;
  file->most = MODEST_INPUT;
  return there ? file : NULL;
}

/* How far to look: among files that the path knows, outside, or outside for something that is read. */
enum where { KNOWN, OUTSIDE, WANTED };

static struct file *find(const char *name, enum where where) {
  bool symbolic;
  errno = ENOENT;
  char *own = *name == '\0' ? NULL : __file_name(name, &symbolic);
  if (own == NULL)
    return NULL;
  enum origin origin = symbolic ? SYMBOLIC : is_symbolic(name) ? ONE_OF_MANY : FIXED;
  struct file *file = named(own);
  if (file == NULL) {
    file = where == KNOWN ? NULL : discover(own, origin);
    if (file != NULL)
      own = NULL; /* it is the file's */
    if (file == NULL && where == WANTED && errno == ENOENT)
      return miss(own, origin);
    if (file == NULL) {
      free(own);
      return NULL;
    }
  }
  free(own);
  if (file->kind == REMOVED) {
    errno = ENOENT;
    return NULL;
  }
  if (origin != SYMBOLIC && file->kind != DIRECTORY && __file_is_directory_name(name)) {
    errno = ENOTDIR;
    return NULL;
  }
  return file;
}

struct file *__file_known(const char *name) { return find(name, KNOWN); }
struct file *__file_find(const char *name) { return find(name, OUTSIDE); }
struct file *__file_look(const char *name) { return find(name, WANTED); }

/* Whether the directory that `name` lies in is there; those outside the root are, for all that is known. */
static bool has_parent(char *name) {
  char *end = NULL;
  for (char *c = name; *c != '\0'; c++)
    if (*c == '/')
      end = c;
  if (end == NULL || is_away(name))
    return true;
  *end = '\0';
  struct file *parent = __file_find(name);
  *end = '/';
  if (parent != NULL && parent->kind != DIRECTORY)
    errno = ENOTDIR;
  return parent != NULL && parent->kind == DIRECTORY;
}

struct file *__file_make(const char *name) {
  bool symbolic;
  errno = ENOENT;
  char *own = name == NULL || *name == '\0' ? NULL : __file_name(name, &symbolic);
  if (name != NULL && (own == NULL || (!symbolic && !has_parent(own)))) {
    free(own);
    return NULL;
  }
  struct file *file = own == NULL ? NULL : named(own);
  if (file != NULL) {
    free(own);
    if (file->kind == REMOVED) {
      file->kind = ORDINARY;
      file->permissions = 0644;
    }
    file->size = 0;
  } else if ((file = add(own)) == NULL) {
    free(own);
    return NULL;
  }
  file->loaded = file->made = true;
  return file;
}
