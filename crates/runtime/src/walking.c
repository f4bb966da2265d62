/* The current directory, absolute names, and directories as sorted lists. */
#include "files.h"

struct directory;
struct dirent;
struct directory *opendir(const char *name);
struct dirent *readdir(struct directory *directory);
int closedir(struct directory *directory);
void qsort(void *start, size_t count, size_t size, int (*compare)(const void *, const void *));

static int go(struct file *file) {
  if (file == NULL)
    return -1;
  if (file->kind != DIRECTORY) {
    errno = ENOTDIR;
    return -1;
  }
  /* A name that begins with `..` would not lead to the same place from everywhere. */
  char *name = file->name[0] == '.' ? __file_absolute(file->name) : file->name;
  if (name == NULL)
    return -1;
  __file_here = name;
  return 0;
}

PUBLIC int chdir(const char *name) { return go(__file_find(name)); }
PUBLIC int fchdir(int fd) { return go(__descriptor_file(fd)); }

/* Into `to`, of `size` bytes, or into a block of its own. */
static char *give(const char *name, char *to, size_t size) {
  size_t length = strlen(name) + 1;
  if (to == NULL && (to = malloc(size > length ? size : length)) == NULL)
    return NULL;
  else if (size != 0 && size < length) {
    errno = ERANGE;
    return NULL;
  }
  memcpy(to, name, length);
  return to;
}

PUBLIC char *getcwd(char *to, size_t size) {
  char *here = __file_absolute(__file_here), *given = here == NULL ? NULL : give(here, to, size);
  free(here);
  return given;
}
PUBLIC char *get_current_dir_name(void) { return getcwd(NULL, 0); }

/* There are no links. */
PUBLIC char *realpath(const char *restrict name, char *restrict to) {
  struct file *file = name == NULL ? NULL : __file_look(name);
  if (name == NULL)
    errno = EINVAL;
  if (file == NULL || file->name == NULL)
    return NULL;
  char *whole = __file_absolute(file->name), *given = whole == NULL ? NULL : give(whole, to, 0);
  free(whole);
  return given;
}
PUBLIC char *canonicalize_file_name(const char *name) { return realpath(name, NULL); }

/* ---- lists ---- */

enum { WORD = __SIZEOF_POINTER__, NAME = 2 * WORD + 3, SIZE = (NAME + 256 + WORD - 1) & ~(WORD - 1) };

PUBLIC int alphasort(const struct dirent **a, const struct dirent **b) {
  return strcmp((const char *)*a + NAME, (const char *)*b + NAME);
}

PUBLIC int scandir(const char *name, struct dirent ***to, int (*wanted)(const struct dirent *),
                   int (*compare)(const struct dirent **, const struct dirent **)) {
  struct directory *directory = opendir(name);
  if (directory == NULL)
    return -1;
  struct dirent **list = NULL, *entry;
  int count = 0;
  while ((entry = readdir(directory)) != NULL) {
    if (wanted != NULL && !wanted(entry))
      continue;
    struct dirent **larger = realloc(list, (size_t)(count + 1) * sizeof *list), *copy = malloc(SIZE);
    list = larger == NULL ? list : larger;
    if (larger == NULL || copy == NULL) {
      while (count > 0)
        free(list[--count]);
      free(list), free(copy);
      closedir(directory);
      errno = ENOMEM;
      return -1;
    }
    list[count++] = memcpy(copy, entry, SIZE);
  }
  closedir(directory);
  if (compare != NULL && count > 1)
    qsort(list, (size_t)count, sizeof *list, (int (*)(const void *, const void *))compare);
  *to = list;
  return count;
}
