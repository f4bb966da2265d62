/* The file layer and sockets for a native run of a test in which their calls fail, or that has connections, or files
 * that lie outside of the run's folder: each call first asks the test (--wrap), as files.c, stdio.c and sockets.c do in
 * an exploration. What the program makes outside is in the folder, too. Calls inside the C library are its own. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum fate { WORKS, FAILS, IS_SHORT };
enum fate __mneme_fate(const char *call, int error, enum fate worst);
const unsigned char *__mneme_test_bytes(const char *name, size_t *size);
const char *__mneme_placed(const char *name), *__mneme_place(const char *name, const char *place);
char *__mneme_name_here(const char *name);
bool __mneme_lies_elsewhere(const char *name);

/* Where a file is that the program may be making. */
static const char *made(const char *name) {
  const char *place = __mneme_placed(name);
  if (name == NULL || place != name || !__mneme_lies_elsewhere(name))
    return place;
  char *here = __mneme_name_here(name);
  place = here == NULL ? name : __mneme_place(name, here);
  free(here);
  return place;
}
static const char *made_by_mode(const char *name, const char *mode) {
  return *mode == 'r' ? __mneme_placed(name) : made(name);
}

static bool fails(const char *call, int error) { return __mneme_fate(call, error, FAILS) == FAILS; }

/* A call with these parameters that returns `failed` where it fails. */
#define LAYER(type, name, call, error, failed, parameters, arguments) \
  type __real_##name parameters; \
  type __wrap_##name parameters { return fails(call, error) ? (failed) : __real_##name arguments; }

LAYER(int, dup, "dup", EMFILE, -1, (int fd), (fd))
LAYER(int, ftruncate, "ftruncate", EIO, -1, (int fd, off_t size), (fd, size))
LAYER(int, fsync, "fsync", EIO, -1, (int fd), (fd))
LAYER(int, fdatasync, "fsync", EIO, -1, (int fd), (fd))
LAYER(int, access, "access", EACCES, -1, (const char *name, int mode), (__mneme_placed(name), mode))
LAYER(int, stat, "stat", EACCES, -1, (const char *name, struct stat *to), (__mneme_placed(name), to))
LAYER(int, lstat, "stat", EACCES, -1, (const char *name, struct stat *to), (__mneme_placed(name), to))
LAYER(int, fstat, "stat", EACCES, -1, (int fd, struct stat *to), (fd, to))
LAYER(int, mkdir, "mkdir", ENOSPC, -1, (const char *name, mode_t mode), (made(name), mode))
LAYER(int, rmdir, "rmdir", EACCES, -1, (const char *name), (__mneme_placed(name)))
LAYER(int, unlink, "unlink", EACCES, -1, (const char *name), (__mneme_placed(name)))
LAYER(int, rename, "rename", EACCES, -1, (const char *from, const char *to), (__mneme_placed(from), made(to)))
LAYER(int, creat, "open", EMFILE, -1, (const char *name, mode_t mode), (made(name), mode))
LAYER(DIR *, opendir, "opendir", EACCES, NULL, (const char *name), (__mneme_placed(name)))
LAYER(FILE *, fopen, "open", EMFILE, NULL, (const char *name, const char *mode), (made_by_mode(name, mode), mode))
LAYER(FILE *, fopen64, "open", EMFILE, NULL, (const char *name, const char *mode), (made_by_mode(name, mode), mode))
LAYER(FILE *, freopen, "open", EMFILE, NULL, (const char *name, const char *mode, FILE *f), (made_by_mode(name, mode), mode, f))

/* `remove` is one of two. */
int __real_remove(const char *name);
int __wrap_remove(const char *name) {
  name = __mneme_placed(name);
  struct stat about;
  bool directory = __real_lstat(name, &about) == 0 && S_ISDIR(about.st_mode);
  return fails(directory ? "rmdir" : "unlink", EACCES) ? -1 : __real_remove(name);
}

#define MODE(last) \
  va_list rest; \
  va_start(rest, last); \
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
  va_end(rest)

static const char *made_by_flags(const char *name, int flags) { return flags & O_CREAT ? made(name) : __mneme_placed(name); }

int __real_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...) {
  MODE(flags);
  return fails("open", EMFILE) ? -1 : __real_open(made_by_flags(name, flags), flags, mode);
}
int __wrap_open64(const char *name, int flags, ...) {
  MODE(flags);
  return fails("open", EMFILE) ? -1 : __real_open(made_by_flags(name, flags), flags, mode);
}

/* A name for a new file, or directory, that ends with six X: made under the name that stands for it. */
static int make_unique(char *name, int (*make)(char *)) {
  if (!__mneme_lies_elsewhere(name))
    return make(name);
  char *here = __mneme_name_here(name);
  int result = here == NULL ? -1 : make(here);
  if (result >= 0) {
    size_t length = strlen(name);
    if (length >= 6)
      memcpy(name + length - 6, here + strlen(here) - 6, 6);
    __mneme_place(name, here);
  }
  free(here);
  return result;
}
int __real_mkstemp(char *name);
int __wrap_mkstemp(char *name) { return fails("open", EMFILE) ? -1 : make_unique(name, __real_mkstemp); }
char *__real_mkdtemp(char *name);
static int make_directory(char *name) { return __real_mkdtemp(name) == NULL ? -1 : 0; }
char *__wrap_mkdtemp(char *name) {
  return fails("mkdir", ENOSPC) || make_unique(name, make_directory) < 0 ? NULL : name;
}
int __real_openat(int directory, const char *name, int flags, ...);
int __wrap_openat(int directory, const char *name, int flags, ...) {
  MODE(flags);
  return fails("open", EMFILE) ? -1 : __real_openat(directory, made_by_flags(name, flags), flags, mode);
}

ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size) {
  enum fate fate = __mneme_fate("read", EIO, size > 1 ? IS_SHORT : FAILS);
  return fate == FAILS ? -1 : __real_read(fd, to, fate == IS_SHORT ? 1 : size);
}
ssize_t __real_write(int fd, const void *from, size_t size);
ssize_t __wrap_write(int fd, const void *from, size_t size) {
  enum fate fate = __mneme_fate("write", ENOSPC, size > 1 ? IS_SHORT : FAILS);
  return fate == FAILS ? -1 : __real_write(fd, from, fate == IS_SHORT ? 1 : size);
}

int __real_close(int fd);
int __wrap_close(int fd) {
  bool failed = fails("close", EIO);
  int result = __real_close(fd);
  if (failed)
    errno = EIO;
  return failed ? -1 : result;
}
int __real_fclose(FILE *stream);
int __wrap_fclose(FILE *stream) {
  bool failed = fails("close", EIO);
  int result = __real_fclose(stream);
  if (failed)
    errno = EIO;
  return failed ? EOF : result;
}

/* ---- streams ---- */

enum { ERROR_SEEN = 0x20 }; /* glibc's */

static bool breaks(FILE *stream, const char *call, int error) {
  bool failed = fails(call, error);
  if (failed)
    stream->_flags |= ERROR_SEEN;
  return failed;
}

int __real_fgetc(FILE *stream);
int __wrap_fgetc(FILE *stream) { return breaks(stream, "read", EIO) ? EOF : __real_fgetc(stream); }
int __wrap_getc(FILE *stream) { return __wrap_fgetc(stream); }
int __wrap_getchar(void) { return __wrap_fgetc(stdin); }
char *__real_fgets(char *to, int size, FILE *stream);
char *__wrap_fgets(char *to, int size, FILE *stream) {
  return size <= 0 || breaks(stream, "read", EIO) ? NULL : __real_fgets(to, size, stream);
}
size_t __real_fread(void *to, size_t size, size_t count, FILE *stream);
size_t __wrap_fread(void *to, size_t size, size_t count, FILE *stream) {
  return size * count == 0 || breaks(stream, "read", EIO) ? 0 : __real_fread(to, size, count, stream);
}
size_t __real_fwrite(const void *from, size_t size, size_t count, FILE *stream);
size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *stream) {
  return size == 0 || count == 0 || breaks(stream, "write", ENOSPC) ? 0 : __real_fwrite(from, size, count, stream);
}
int __real_fflush(FILE *stream);
int __wrap_fflush(FILE *stream) {
  return stream != NULL && breaks(stream, "write", ENOSPC) ? EOF : __real_fflush(stream);
}

/* ---- sockets ---- */

/* One end of a pair; the other end has sent what the test says, and will send no more. -1 if the test has no connection
 * left. */
static int connection(void) {
  size_t size;
  const unsigned char *bytes = __mneme_test_bytes("connection", &size);
  int ends[2];
  if (bytes == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    return -1;
  while (size > 0) {
    ssize_t sent = __real_write(ends[1], bytes, size);
    if (sent <= 0)
      return -1;
    bytes += sent;
    size -= (size_t)sent;
  }
  shutdown(ends[1], SHUT_WR);
  /* Out of the way of the program's numbers. */
  fcntl(ends[1], F_DUPFD_CLOEXEC, 200);
  __real_close(ends[1]);
  return ends[0];
}

int __real_socket(int family, int type, int protocol);
int __wrap_socket(int family, int type, int protocol) {
  (void)family, (void)type, (void)protocol;
  return fails("socket", EMFILE) ? -1 : __real_socket(AF_UNIX, SOCK_STREAM, 0);
}
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t size) {
  (void)address, (void)size;
  if (fails("connect", ECONNREFUSED))
    return -1;
  int end = connection();
  if (end < 0) {
    errno = ECONNREFUSED;
    return -1;
  }
  dup2(end, fd);
  __real_close(end);
  return 0;
}
int __wrap_bind(int fd, const struct sockaddr *address, socklen_t size) {
  (void)fd, (void)address, (void)size;
  return fails("bind", EACCES) ? -1 : 0;
}
int __wrap_listen(int fd, int waiting) {
  (void)fd, (void)waiting;
  return fails("listen", EACCES) ? -1 : 0;
}
int __wrap_accept(int fd, struct sockaddr *address, socklen_t *size) {
  (void)fd, (void)address;
  if (fails("accept", EMFILE))
    return -1;
  if (size != NULL)
    *size = 0;
  int end = connection();
  if (end < 0)
    errno = ECONNABORTED;
  return end;
}
ssize_t __real_recv(int fd, void *to, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *to, size_t size, int flags) {
  enum fate fate = __mneme_fate("read", EIO, size > 1 ? IS_SHORT : FAILS);
  return fate == FAILS ? -1 : __real_recv(fd, to, fate == IS_SHORT ? 1 : size, flags);
}
ssize_t __real_send(int fd, const void *from, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *from, size_t size, int flags) {
  enum fate fate = __mneme_fate("write", ENOSPC, size > 1 ? IS_SHORT : FAILS);
  return fate == FAILS ? -1 : __real_send(fd, from, fate == IS_SHORT ? 1 : size, flags);
}
int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t size) {
  (void)fd, (void)level, (void)option, (void)value, (void)size;
  return 0;
}
