/* Permissions and owners of files. They are kept and shown, but nobody is refused by them; an owner is the user, or the
 * change fails. Times are not kept: setting them does no more than look for the file. */
#include "files.h"

static unsigned mask = 022;

PUBLIC unsigned umask(unsigned mode) {
  unsigned before = mask;
  mask = mode & 0777;
  return before;
}

unsigned __file_permissions(unsigned mode) { return mode & 07777 & ~mask; }

static int set(struct file *file, unsigned mode) {
  if (file == NULL)
    return -1;
  file->permissions = mode & 07777;
  return 0;
}

PUBLIC int chmod(const char *name, unsigned mode) { return set(__file_find(name), mode); }
PUBLIC int fchmod(int fd, unsigned mode) { return set(__descriptor_file(fd), mode); }
PUBLIC int fchmodat(int directory, const char *name, unsigned mode, int flags) {
  (void)flags;
  const char *way = __file_at(directory, name);
  return way == NULL ? -1 : chmod(way, mode);
}

/* -1 leaves an owner as it is. */
static int own(struct file *file, unsigned user, unsigned group) {
  enum { USER = 1000 };
  if (file == NULL)
    return -1;
  if ((user != USER && user != (unsigned)-1) || (group != USER && group != (unsigned)-1)) {
    errno = EPERM;
    return -1;
  }
  return 0;
}

PUBLIC int chown(const char *name, unsigned user, unsigned group) { return own(__file_find(name), user, group); }
PUBLIC int lchown(const char *name, unsigned user, unsigned group) { return chown(name, user, group); }
PUBLIC int fchown(int fd, unsigned user, unsigned group) { return own(__descriptor_file(fd), user, group); }
PUBLIC int fchownat(int directory, const char *name, unsigned user, unsigned group, int flags) {
  (void)flags;
  const char *way = __file_at(directory, name);
  return way == NULL ? -1 : chown(way, user, group);
}

static int there(struct file *file) { return file == NULL ? -1 : 0; }

PUBLIC int utime(const char *name, const void *times) { return (void)times, there(__file_find(name)); }
PUBLIC int utimes(const char *name, const void *times) { return utime(name, times); }
PUBLIC int lutimes(const char *name, const void *times) { return utime(name, times); }
PUBLIC int futimes(int fd, const void *times) { return (void)times, there(__descriptor_file(fd)); }
PUBLIC int futimens(int fd, const void *times) { return futimes(fd, times); }
PUBLIC int utimensat(int directory, const char *name, const void *times, int flags) {
  (void)flags;
  if (name == NULL)
    return futimes(directory, times);
  const char *way = __file_at(directory, name);
  return way == NULL ? -1 : utime(way, times);
}
