/* Files that the program makes itself: they live in memory, by name. What else lies in the file system nobody knows here: a path
 * that opens a file it did not make stops and says so.
 * /dev/null and /dev/zero are everywhere. Absent: directories, permissions, links. */
#include "libc.h"

enum { EMFILE = 24, MOST_OPEN = 64, FIRST_OPEN = 3 };
enum { SET, CURRENT, END };
enum { READ = 1, WRITE = 2, APPEND = 4 };
enum { WRITE_ONLY = 1, READ_WRITE = 2, CREATE = 0100, EXCLUSIVE = 0200, TRUNCATE = 01000, AT_END = 02000, EEXIST = 17 };

struct file {
  struct file *next;
  char *name; /* NULL: removed, or without a name from the start */
  unsigned char *bytes;
  size_t size, capacity;
  enum { ORDINARY, NOTHING, ZEROS } kind; /* the last two are devices, which keep nothing */
};

static struct file *files;
static struct {
  struct file *file;
  size_t position;
  int mode;
} open_files[MOST_OPEN];

static struct file *named(const char *name) {
  for (struct file *file = files; file != NULL; file = file->next)
    if (file->name != NULL && strcmp(file->name, name) == 0)
      return file;
  return NULL;
}

static struct file *make(const char *name) {
  struct file *file = calloc(1, sizeof *file);
  if (file == NULL)
    return NULL;
  if (name != NULL) {
    file->name = malloc(strlen(name) + 1);
    if (file->name == NULL)
      return NULL;
    strcpy(file->name, name);
  }
  file->next = files;
  return files = file;
}

/* A file that exists, or the path stops. */
static struct file *existing(const char *name) {
  struct file *file = named(name);
  bool zeros = strcmp(name, "/dev/zero") == 0;
  if (file == NULL && (zeros || strcmp(name, "/dev/null") == 0)) {
    file = make(name);
    if (file != NULL)
      file->kind = zeros ? ZEROS : NOTHING;
    return file;
  }
  if (file == NULL)
    __mneme_existing_file(name);
  return file;
}

static int describe(struct file *file, int mode) {
  if (file == NULL)
    return -1;
  for (int i = 0; i < MOST_OPEN; i++)
    if (open_files[i].file == NULL) {
      open_files[i].file = file;
      open_files[i].position = 0;
      open_files[i].mode = mode;
      return FIRST_OPEN + i;
    }
  errno = EMFILE;
  return -1;
}

static bool is_open(int fd, int mode) {
  int i = fd - FIRST_OPEN;
  if (i >= 0 && i < MOST_OPEN && open_files[i].file != NULL && (open_files[i].mode & mode) == mode)
    return true;
  errno = EBADF;
  return false;
}

long __stream_write(int fd, const void *bytes, size_t size) {
  if (fd < FIRST_OPEN)
    return __mneme_write(fd, bytes, size);
  if (!is_open(fd, WRITE))
    return -1;
  struct file *file = open_files[fd - FIRST_OPEN].file;
  if (file->kind != ORDINARY)
    return (long)size;
  size_t *position = &open_files[fd - FIRST_OPEN].position;
  if (open_files[fd - FIRST_OPEN].mode & APPEND)
    *position = file->size;
  size_t end = *position + size;
  if (end > file->capacity) {
    size_t larger = end * 2 < 64 ? 64 : end * 2;
    unsigned char *grown = realloc(file->bytes, larger);
    if (grown == NULL)
      return -1;
    memset(grown + file->capacity, 0, larger - file->capacity);
    file->bytes = grown;
    file->capacity = larger;
  }
  memcpy(file->bytes + *position, bytes, size);
  *position = end;
  if (end > file->size)
    file->size = end;
  return (long)size;
}

long __stream_read(int fd, void *bytes, size_t size) {
  if (fd < FIRST_OPEN)
    return __mneme_read(fd, bytes, size);
  if (!is_open(fd, READ))
    return -1;
  struct file *file = open_files[fd - FIRST_OPEN].file;
  if (file->kind == ZEROS) {
    memset(bytes, 0, size);
    return (long)size;
  }
  size_t *position = &open_files[fd - FIRST_OPEN].position;
  size_t left = *position < file->size ? file->size - *position : 0, count = size < left ? size : left;
  if (count > 0)
    memcpy(bytes, file->bytes + *position, count);
  *position += count;
  return (long)count;
}

PUBLIC long lseek(int fd, long offset, int whence) {
  if (!is_open(fd, 0))
    return -1;
  size_t *position = &open_files[fd - FIRST_OPEN].position;
  long from = whence == SET ? 0 : (long)(whence == CURRENT ? *position : open_files[fd - FIRST_OPEN].file->size);
  if (whence < SET || whence > END || from + offset < 0) {
    errno = EINVAL;
    return -1;
  }
  return (long)(*position = (size_t)(from + offset));
}

PUBLIC int close(int fd) {
  if (fd >= 0 && fd < FIRST_OPEN)
    return 0;
  if (!is_open(fd, 0))
    return -1;
  open_files[fd - FIRST_OPEN].file = NULL;
  return 0;
}

/* A file without contents, made if there is none. */
static struct file *emptied(const char *name) {
  struct file *file = named(name);
  if (file == NULL)
    return strncmp(name, "/dev/", 5) == 0 ? existing(name) : make(name);
  file->size = 0;
  return file;
}

PUBLIC int open(const char *name, int flags, ...) {
  int mode = (flags & READ_WRITE ? READ | WRITE : flags & WRITE_ONLY ? WRITE : READ) | (flags & AT_END ? APPEND : 0);
  if (flags & CREATE && flags & EXCLUSIVE && named(name) != NULL) {
    errno = EEXIST;
    return -1;
  }
  bool empty = flags & TRUNCATE && flags & CREATE;
  return describe(empty || flags & EXCLUSIVE ? emptied(name) : existing(name), mode);
}
PUBLIC int open64(const char *name, int flags, ...) { return open(name, flags); }
PUBLIC int creat(const char *name, unsigned mode) { return open(name, WRITE_ONLY | CREATE | TRUNCATE, mode); }

/* Opens as `fopen` does; -1 if that fails, or if the mode makes no sense. */
static int open_by_mode(const char *name, const char *mode) {
  bool both = strchr(mode, '+') != NULL, exclusive = *mode != 'r' && strchr(mode, 'x') != NULL;
  if (exclusive && named(name) != NULL) {
    errno = EEXIST;
    return -1;
  }
  switch (*mode) {
  case 'r':
    return describe(existing(name), both ? READ | WRITE : READ);
  case 'w':
    return describe(emptied(name), both ? READ | WRITE : WRITE);
  case 'a':
    return describe(exclusive ? emptied(name) : existing(name), both ? READ | WRITE | APPEND : WRITE | APPEND);
  default:
    errno = EINVAL;
    return -1;
  }
}

/* Makes `stream` one of `fd`, in the directions that it was opened for. */
static void attach(FILE *stream, int fd) {
  int mode = open_files[fd - FIRST_OPEN].mode;
  stream->fd = fd;
  stream->flags = (mode & READ ? 0 : STREAM_NO_READS) | (mode & WRITE ? 0 : STREAM_NO_WRITES);
  stream->pushed_back_count = 0;
}

static FILE *stream_of(int fd) {
  if (fd < 0)
    return NULL;
  FILE *stream = calloc(1, sizeof *stream);
  if (stream == NULL)
    return NULL;
  attach(stream, fd);
  return stream;
}

PUBLIC FILE *fopen(const char *restrict name, const char *restrict mode) { return stream_of(open_by_mode(name, mode)); }
PUBLIC FILE *fopen64(const char *restrict name, const char *restrict mode) { return fopen(name, mode); }
PUBLIC FILE *tmpfile(void) { return stream_of(describe(make(NULL), READ | WRITE)); }

PUBLIC FILE *freopen(const char *restrict name, const char *restrict mode, FILE *restrict stream) {
  close(stream->fd);
  int fd = open_by_mode(name, mode);
  if (fd < 0) {
    stream->fd = fd;
    return NULL;
  }
  attach(stream, fd);
  return stream;
}

PUBLIC int fclose(FILE *stream) {
  int result = close(stream->fd);
  if (stream != stdin && stream != stdout && stream != stderr)
    free(stream);
  return result;
}

PUBLIC int fseek(FILE *stream, long offset, int whence) {
  if (whence == CURRENT)
    offset -= stream->pushed_back_count;
  stream->pushed_back_count = 0;
  stream->flags &= ~STREAM_EOF;
  return lseek(stream->fd, offset, whence) < 0 ? -1 : 0;
}

PUBLIC long ftell(FILE *stream) {
  long position = lseek(stream->fd, 0, CURRENT);
  return position < stream->pushed_back_count ? position : position - stream->pushed_back_count;
}

PUBLIC void rewind(FILE *stream) {
  fseek(stream, 0, SET);
  stream->flags &= ~STREAM_ERROR;
}

PUBLIC int remove(const char *name) {
  struct file *file = named(name);
  if (file == NULL)
    __mneme_existing_file(name);
  free(file->name);
  file->name = NULL;
  return 0;
}
PUBLIC int unlink(const char *name) { return remove(name); }

/* Names that no other file has. */
PUBLIC char *tmpnam(char *to) {
  static char own[20];
  static unsigned count;
  char *name = to == NULL ? own : to;
  strcpy(name, "/tmp/file");
  size_t length = strlen(name);
  for (unsigned n = count++, digit = 0; digit < 6; digit++, n /= 26)
    name[length + digit] = (char)('a' + n % 26);
  name[length + 6] = '\0';
  return name;
}
