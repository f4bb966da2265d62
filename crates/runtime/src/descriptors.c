/* File descriptors, and the functions of stdio that open and place streams. */
#include "files.h"

enum { MOST_OPEN = 64 };
enum { SET, CURRENT, END };
enum { WRITE_ONLY = 1, READ_WRITE = 2, CREATE = 0100, EXCLUSIVE = 0200, TRUNCATE = 01000, AT_END = 02000, DIRECTORY_ONLY = 0200000 };

static struct file console = {.kind = CONSOLE, .loaded = true};

static struct open_file standard[3] = {{.file = &console, .mode = READ, .users = 1},
                                       {.file = &console, .mode = WRITE, .users = 1},
                                       {.file = &console, .mode = WRITE, .users = 1}};
static struct open_file *open_files[MOST_OPEN] = {&standard[0], &standard[1], &standard[2]};

struct open_file *__descriptor_opened(int fd, int mode) {
  if (fd >= 0 && fd < MOST_OPEN && open_files[fd] != NULL && (open_files[fd]->mode & mode) == mode)
    return open_files[fd];
  errno = EBADF;
  return NULL;
}

/* The first free descriptor from `least` on. */
static int free_descriptor(int least) {
  for (int fd = least; fd >= 0 && fd < MOST_OPEN; fd++)
    if (open_files[fd] == NULL)
      return fd;
  errno = EMFILE;
  return -1;
}

int __descriptor_for(struct file *file, int mode) {
  int fd = file == NULL ? -1 : free_descriptor(0);
  if (fd < 0)
    return -1;
  if (file->kind == DIRECTORY && mode & WRITE) {
    errno = EISDIR;
    return -1;
  }
  struct open_file *one = malloc(sizeof *one);
  if (one == NULL)
    return -1;
  *one = (struct open_file){.file = __file_load(file), .mode = mode, .users = 1};
  open_files[fd] = one;
  return fd;
}

/* Standard input becomes a file when it is first looked at. */
static struct file *contents(int fd) {
  struct open_file *one = open_files[fd];
  if (one == &standard[0] && one->file == &console)
    one->file = __file_standard_input();
  return one->file;
}

struct file *__descriptor_file(int fd) {
  struct open_file *one = __descriptor_opened(fd, 0);
  return one == NULL ? NULL : contents(fd);
}

long __stream_write(int fd, const void *bytes, size_t size) {
  struct open_file *one = __descriptor_opened(fd, WRITE);
  if (one == NULL)
    return -1;
  struct file *file = one->file;
  if (file == &console)
    return __mneme_write(one == &standard[2] ? 2 : 1, bytes, size);
  if (file->kind != ORDINARY)
    return (long)size;
  if (one->mode & APPEND)
    one->position = file->size;
  size_t end = one->position + size;
  if (!__file_grow(file, end))
    return -1;
  memcpy(file->bytes + one->position, bytes, size);
  one->position = end;
  if (end > file->size)
    file->size = end;
  if (file->shown != NULL)
    file->shown(file);
  return (long)size;
}

/* Forks where the file may end before, and no more. */
PLAIN long __stream_read(int fd, void *bytes, size_t size) {
  struct open_file *one = __descriptor_opened(fd, READ);
  if (one == NULL)
    return -1;
  struct file *file = contents(fd);
  if (file->kind == DIRECTORY) {
    errno = EISDIR;
    return -1;
  }
  if (file->kind == ZEROS) {
    memset(bytes, 0, size);
    return (long)size;
  }
  if (one->position >= file->size)
    return 0;
  size_t count = file->size - one->position;
  if (size < count)
    count = size;
  memcpy(bytes, file->bytes + one->position, count);
  one->position += count;
  return (long)count;
}

PUBLIC long lseek(int fd, long offset, int whence) {
  struct open_file *one = __descriptor_opened(fd, 0);
  if (one == NULL)
    return -1;
  if (one->file->kind == CONSOLE || one->file->kind == CONNECTION) {
    errno = ESPIPE;
    return -1;
  }
  long from = whence == SET ? 0 : (long)(whence == CURRENT ? one->position : one->file->size);
  if (whence < SET || whence > END || from + offset < 0) {
    errno = EINVAL;
    return -1;
  }
  return (long)(one->position = (size_t)(from + offset));
}
PUBLIC long lseek64(int fd, long offset, int whence) { return lseek(fd, offset, whence); }

static int release(int fd) {
  struct open_file *one = __descriptor_opened(fd, 0);
  if (one == NULL)
    return -1;
  open_files[fd] = NULL;
  if (--one->users == 0 && one->file->shown != NULL)
    one->file->bytes = NULL;
  if (one->users == 0 && (one < standard || one >= standard + 3))
    free(one);
  return 0;
}

/* As on Linux, the descriptor is gone even if it fails. */
PUBLIC int close(int fd) {
  bool failed = fails("close", EIO);
  return release(fd) == 0 && !failed ? 0 : -1;
}

/* ---- open ---- */

static int open_with(const char *name, int flags, unsigned permissions) {
  if (fails("open", EMFILE))
    return -1;
  int mode = (flags & READ_WRITE ? READ | WRITE : flags & WRITE_ONLY ? WRITE : READ) | (flags & AT_END ? APPEND : 0);
  /* A file that is made anew may lie anywhere: nobody is told what was there. */
  bool anew = flags & CREATE && flags & (TRUNCATE | EXCLUSIVE) && name[0] == '/';
  struct file *file = anew ? __file_known(name) : flags & CREATE ? __file_find(name) : __file_look(name);
  if (file != NULL && flags & CREATE && flags & EXCLUSIVE) {
    errno = EEXIST;
    return -1;
  }
  if (file == NULL && !(errno == ENOENT && flags & CREATE))
    return -1;
  if (file == NULL && __file_is_directory_name(name)) {
    errno = EISDIR;
    return -1;
  }
  if (file != NULL && file->kind != DIRECTORY && flags & DIRECTORY_ONLY) {
    errno = ENOTDIR;
    return -1;
  }
  if (file == NULL) {
    file = __file_make(name);
    if (file != NULL)
      file->permissions = __file_permissions(permissions);
  } else if (flags & TRUNCATE && file->kind == ORDINARY && mode & WRITE) {
    file = __file_make(name);
  }
  return __descriptor_for(file, mode);
}

/* Only where a file may be made is there a third argument. */
#define PERMISSIONS(flags)                                                                                             \
  va_list rest;                                                                                                        \
  va_start(rest, flags);                                                                                               \
  unsigned permissions = flags & CREATE ? va_arg(rest, unsigned) : 0;                                                  \
  va_end(rest)

PUBLIC int open(const char *name, int flags, ...) {
  PERMISSIONS(flags);
  return open_with(name, flags, permissions);
}
PUBLIC int open64(const char *name, int flags, ...) {
  PERMISSIONS(flags);
  return open_with(name, flags, permissions);
}
PUBLIC int creat(const char *name, unsigned mode) { return open_with(name, WRITE_ONLY | CREATE | TRUNCATE, mode); }

const char *__file_at(int directory, const char *name) {
  enum { AT_FDCWD = -100 };
  static char *last;
  if (directory == AT_FDCWD || name[0] == '/')
    return name;
  struct file *file = __descriptor_file(directory);
  if (file == NULL || file->kind != DIRECTORY) {
    errno = file == NULL ? EBADF : ENOTDIR;
    return NULL;
  }
  char *way = __file_absolute(file->name);
  size_t before = way == NULL ? 0 : strlen(way), after = strlen(name);
  free(last);
  last = way == NULL ? NULL : realloc(way, before + after + 2);
  if (last == NULL)
    return NULL;
  last[before] = '/';
  memcpy(last + before + 1, name, after + 1);
  return last;
}

PUBLIC int openat(int directory, const char *name, int flags, ...) {
  PERMISSIONS(flags);
  const char *way = __file_at(directory, name);
  return way == NULL ? -1 : open_with(way, flags, permissions);
}
PUBLIC int openat64(int directory, const char *name, int flags, ...) {
  PERMISSIONS(flags);
  const char *way = __file_at(directory, name);
  return way == NULL ? -1 : open_with(way, flags, permissions);
}

static int duplicate(int fd, int least) {
  struct open_file *one = __descriptor_opened(fd, 0);
  int other = one == NULL ? -1 : free_descriptor(least);
  if (other >= 0) {
    one->users++;
    open_files[other] = one;
  }
  return other;
}

PUBLIC int dup(int fd) { return fails("dup", EMFILE) ? -1 : duplicate(fd, 0); }

PUBLIC int dup2(int fd, int to) {
  if (__descriptor_opened(fd, 0) == NULL || fd == to)
    return fd == to ? fd : -1;
  if (to < 0 || to >= MOST_OPEN) {
    errno = EBADF;
    return -1;
  }
  if (open_files[to] != NULL)
    release(to);
  open_files[to] = open_files[fd];
  open_files[fd]->users++;
  return to;
}

PUBLIC int fcntl(int fd, int what, ...) {
  enum { DUPLICATE, GET_FLAGS, SET_FLAGS, GET_STATUS, SET_STATUS, DUPLICATE_CLOSING = 1030 };
  struct open_file *one = __descriptor_opened(fd, 0);
  if (one == NULL)
    return -1;
  va_list arguments;
  va_start(arguments, what);
  int argument = what == DUPLICATE || what == DUPLICATE_CLOSING ? va_arg(arguments, int) : 0;
  va_end(arguments);
  switch (what) {
  case DUPLICATE:
  case DUPLICATE_CLOSING:
    return duplicate(fd, argument);
  case GET_STATUS:
    return (one->mode & READ && one->mode & WRITE ? READ_WRITE : one->mode & WRITE ? WRITE_ONLY : 0) |
           (one->mode & APPEND ? AT_END : 0);
  case GET_FLAGS:
  case SET_FLAGS:
  case SET_STATUS:
    return 0;
  default:
    errno = EINVAL;
    return -1;
  }
}

/* Nothing is a terminal: neither here nor where tests are replayed. */
PUBLIC int isatty(int fd) {
  if (__descriptor_opened(fd, 0) != NULL)
    errno = ENOTTY;
  return 0;
}

PUBLIC int ioctl(int fd, unsigned long request, ...) {
  (void)request;
  if (__descriptor_opened(fd, 0) != NULL)
    errno = ENOTTY;
  return -1;
}

PUBLIC int ftruncate(int fd, long size) {
  if (fails("ftruncate", EIO))
    return -1;
  struct open_file *one = __descriptor_opened(fd, WRITE);
  if (one == NULL)
    return -1;
  if (size < 0 || one->file->kind != ORDINARY) {
    errno = EINVAL;
    return -1;
  }
  if (!__file_grow(one->file, (size_t)size))
    return -1;
  if ((size_t)size < one->file->size)
    memset(one->file->bytes + size, 0, one->file->size - (size_t)size);
  one->file->size = (size_t)size;
  return 0;
}
PUBLIC int fsync(int fd) { return fails("fsync", EIO) || __descriptor_opened(fd, 0) == NULL ? -1 : 0; }
PUBLIC int fdatasync(int fd) { return fsync(fd); }

/* As `read` and `write` at another place, which does not move. */
static long elsewhere(int fd, long offset, long (*move)(int, void *, size_t), void *bytes, size_t size) {
  struct open_file *one = __descriptor_opened(fd, 0);
  if (one == NULL)
    return -1;
  contents(fd);
  size_t before = one->position;
  if (lseek(fd, offset, SET) < 0)
    return -1;
  long count = move(fd, bytes, size);
  one->position = before;
  return count;
}
static long put(int fd, void *bytes, size_t size) { return write(fd, bytes, size); }
PUBLIC long pread(int fd, void *to, size_t size, long offset) { return elsewhere(fd, offset, read, to, size); }
PUBLIC long pwrite(int fd, const void *from, size_t size, long offset) {
  return elsewhere(fd, offset, put, (void *)from, size);
}
PUBLIC long pread64(int fd, void *to, size_t size, long offset) { return pread(fd, to, size, offset); }
PUBLIC long pwrite64(int fd, const void *from, size_t size, long offset) { return pwrite(fd, from, size, offset); }

struct iovec {
  void *bytes;
  size_t size;
};

/* One part after the other, until one is not moved as a whole. */
static long each(int fd, long (*move)(int, void *, size_t), const struct iovec *parts, int count) {
  long all = 0;
  for (int i = 0; i < count; i++) {
    long moved = move(fd, parts[i].bytes, parts[i].size);
    if (moved < 0)
      return all > 0 ? all : moved;
    all += moved;
    if ((size_t)moved < parts[i].size)
      break;
  }
  return all;
}
PUBLIC long readv(int fd, const struct iovec *parts, int count) { return each(fd, read, parts, count); }
PUBLIC long writev(int fd, const struct iovec *parts, int count) { return each(fd, put, parts, count); }

/* Advice has no effect. */
PUBLIC int posix_fadvise(int fd, long offset, long size, int advice) {
  (void)offset, (void)size, (void)advice;
  struct open_file *one = __descriptor_opened(fd, 0);
  return one == NULL ? EBADF : one->file->kind == CONSOLE || one->file->kind == CONNECTION ? ESPIPE : 0;
}
PUBLIC int posix_fadvise64(int fd, long offset, long size, int advice) { return posix_fadvise(fd, offset, size, advice); }

/* ---- streams ---- */

/* Opens as `fopen` does; -1 if that fails, or if the mode makes no sense. */
static int open_by_mode(const char *name, const char *mode) {
  int direction = strchr(mode, '+') != NULL ? READ_WRITE : *mode == 'r' ? 0 : WRITE_ONLY;
  int exclusive = strchr(mode, 'x') != NULL ? EXCLUSIVE : 0;
  switch (*mode) {
  case 'r':
    return open_with(name, direction, 0);
  case 'w':
    return open_with(name, direction | CREATE | TRUNCATE | exclusive, 0666);
  case 'a':
    return open_with(name, direction | CREATE | AT_END | exclusive, 0666);
  default:
    errno = EINVAL;
    return -1;
  }
}

/* Makes `stream` one of `fd`, in the directions that it was opened for. */
static void attach(FILE *stream, int fd) {
  int mode = open_files[fd]->mode;
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
PUBLIC FILE *tmpfile(void) { return stream_of(__descriptor_for(__file_make(NULL), READ | WRITE)); }

FILE *__stream_in_memory(struct file *file, const char *mode) {
  int way = strchr(mode, '+') != NULL ? READ | WRITE : *mode == 'r' ? READ : WRITE;
  return stream_of(__descriptor_for(file, way | (*mode == 'a' ? APPEND : 0)));
}

PUBLIC FILE *fdopen(int fd, const char *mode) {
  if (__descriptor_opened(fd, 0) == NULL)
    return NULL;
  if (*mode != 'r' && *mode != 'w' && *mode != 'a') {
    errno = EINVAL;
    return NULL;
  }
  return stream_of(fd);
}

PUBLIC FILE *freopen(const char *restrict name, const char *restrict mode, FILE *restrict stream) {
  release(stream->fd);
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
PUBLIC int fseeko(FILE *stream, long offset, int whence) { return fseek(stream, offset, whence); }

PUBLIC long ftell(FILE *stream) {
  long position = lseek(stream->fd, 0, CURRENT);
  return position < stream->pushed_back_count ? position : position - stream->pushed_back_count;
}
PUBLIC long ftello(FILE *stream) { return ftell(stream); }

PUBLIC void rewind(FILE *stream) {
  fseek(stream, 0, SET);
  stream->flags &= ~STREAM_ERROR;
}

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

/* Fills the six X at the end of `name`, `after` characters before its end, so that no other file has that name. */
static bool fill_in(char *name, size_t after) {
  static unsigned count;
  size_t length = strlen(name);
  if (length < 6 + after || strncmp(name + length - after - 6, "XXXXXX", 6) != 0) {
    errno = EINVAL;
    return false;
  }
  for (unsigned n = count++, digit = 0; digit < 6; digit++, n /= 26)
    name[length - after - 6 + digit] = (char)('a' + n % 26);
  return true;
}

PUBLIC int mkostemps(char *name, int after, int flags) {
  return after >= 0 && fill_in(name, (size_t)after) ? open_with(name, flags | READ_WRITE | CREATE | EXCLUSIVE, 0600) : -1;
}
PUBLIC int mkstemps(char *name, int after) { return mkostemps(name, after, 0); }
PUBLIC int mkostemp(char *name, int flags) { return mkostemps(name, 0, flags); }
PUBLIC int mkstemp(char *name) { return mkostemps(name, 0, 0); }
PUBLIC int mkstemp64(char *name) { return mkstemp(name); }

int mkdir(const char *name, unsigned mode);
PUBLIC char *mkdtemp(char *name) { return fill_in(name, 0) && mkdir(name, 0700) == 0 ? name : NULL; }

/* A place in a stream, of which other fields stay as they are. */
PUBLIC int fgetpos(FILE *restrict stream, long *restrict to) {
  long place = ftell(stream);
  if (place < 0)
    return -1;
  *to = place;
  return 0;
}
PUBLIC int fsetpos(FILE *stream, const long *from) { return fseek(stream, *from, SET); }

PUBLIC long sysconf(int what) {
  enum { ARGUMENTS = 0, TICKS = 2, OPEN = 4, PAGE_SIZE = 30, PROCESSORS = 83, PROCESSORS_NOW = 84 };
  switch (what) {
  case ARGUMENTS:
    return 1 << 21;
  case TICKS:
    return 100;
  case OPEN:
    return MOST_OPEN;
  case PAGE_SIZE:
    return 4096;
  case PROCESSORS:
  case PROCESSORS_NOW:
    return 1;
  default:
    return -1;
  }
}
