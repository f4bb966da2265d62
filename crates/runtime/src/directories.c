/* What the file system says about files and directories, and changes of their names. `stat` is there for 64 bits
 * only. What lies in directories around the root is nobody's business: a path that lists one stops. */
#include "files.h"

enum { F_OK = 0, X_OK = 1 };
enum { TYPE_DIRECTORY = 0040000, TYPE_FILE = 0100000, TYPE_DEVICE = 0020000, TYPE_PIPE = 0010000, TYPE_SOCKET = 0140000 };
enum { AT_REMOVEDIR = 0x200, EXDEV = 18 };

int close(int fd);

PUBLIC int access(const char *name, int mode) {
  if (fails("access", EACCES))
    return -1;
  struct file *file = __file_look(name);
  if (file == NULL)
    return -1;
  if (mode & X_OK && !(file->permissions & 0111)) {
    errno = EACCES;
    return -1;
  }
  return 0;
}

PUBLIC int eaccess(const char *name, int mode) { return access(name, mode); }
PUBLIC int euidaccess(const char *name, int mode) { return access(name, mode); }
PUBLIC int faccessat(int directory, const char *name, int mode, int flags) {
  (void)flags;
  const char *way = __file_at(directory, name);
  return way == NULL ? -1 : access(way, mode);
}

/* There are no links. */
PUBLIC long readlink(const char *restrict name, char *restrict to, size_t size) {
  (void)to, (void)size;
  if (__file_find(name) != NULL)
    errno = EINVAL;
  return -1;
}

/* The longest names; other limits are unknown. */
PUBLIC long pathconf(const char *name, int what) {
  enum { NAME_MAX_ = 3, PATH_MAX_ = 4 };
  (void)name;
  return what == NAME_MAX_ ? 255 : what == PATH_MAX_ ? 4096 : -1;
}
PUBLIC long fpathconf(int fd, int what) { return __descriptor_file(fd) == NULL ? -1 : pathconf(NULL, what); }

#if __SIZEOF_POINTER__ == 8
struct stat {
  uint64_t device, number, links;
  uint32_t mode, user, group, gap;
  uint64_t device_type;
  int64_t size, block_size, blocks;
  int64_t times[6], reserved[3];
};

static int fill(struct file *file, struct stat *to) {
  if (__file_load(file) == NULL)
    return -1;
  memset(to, 0, sizeof *to);
  to->number = to->links = 1;
  to->block_size = 4096;
  to->size = (int64_t)file->size;
  to->blocks = (to->size + 511) / 512;
  switch (file->kind) {
  case DIRECTORY:
    to->mode = TYPE_DIRECTORY | file->permissions;
    break;
  case NOTHING:
  case ZEROS:
    to->mode = TYPE_DEVICE | file->permissions;
    break;
  case CONSOLE:
  case CONNECTION:
    to->mode = file->kind == CONSOLE ? TYPE_PIPE | 0600 : TYPE_SOCKET | 0777;
    to->size = 0;
    break;
  default:
    to->mode = TYPE_FILE | file->permissions;
  }
  return 0;
}

PUBLIC int stat(const char *restrict name, struct stat *restrict to) {
  return fails("stat", EACCES) ? -1 : fill(__file_look(name), to);
}
PUBLIC int lstat(const char *restrict name, struct stat *restrict to) { return stat(name, to); }
PUBLIC int fstat(int fd, struct stat *to) { return fails("stat", EACCES) ? -1 : fill(__descriptor_file(fd), to); }
PUBLIC int fstatat(int directory, const char *restrict name, struct stat *restrict to, int flags) {
  enum { AT_EMPTY_PATH = 0x1000 };
  if (flags & AT_EMPTY_PATH && *name == '\0')
    return fstat(directory, to);
  const char *way = __file_at(directory, name);
  return way == NULL ? -1 : stat(way, to);
}
PUBLIC int fstatat64(int directory, const char *restrict name, struct stat *restrict to, int flags) {
  return fstatat(directory, name, to, flags);
}
PUBLIC int stat64(const char *restrict name, struct stat *restrict to) { return stat(name, to); }
PUBLIC int lstat64(const char *restrict name, struct stat *restrict to) { return stat(name, to); }
PUBLIC int fstat64(int fd, struct stat *to) { return fstat(fd, to); }
#endif

/* ---- listing ---- */

struct dirent {
#if __SIZEOF_POINTER__ == 8
  uint64_t number, next;
#else
  uint32_t number, next;
#endif
  uint16_t length;
  unsigned char type;
  char name[256];
};

/* First `.` and `..`, then what the path knows, then what lies outside and has no other meaning here. */
struct directory {
  struct file *file;
  int fd; /* of its own, once somebody has asked for it; else -1 */
  int dots;
  struct file *known;
  size_t outside;
  struct dirent entry;
};
typedef struct directory DIR;

static DIR *listing(struct file *file, int fd) {
  if (file == NULL)
    return NULL;
  if (file->kind != DIRECTORY) {
    errno = ENOTDIR;
    return NULL;
  }
  DIR *directory = calloc(1, sizeof *directory);
  if (directory != NULL) {
    directory->file = file;
    directory->fd = fd;
    directory->known = __files;
  }
  return directory;
}

PUBLIC DIR *opendir(const char *name) { return fails("opendir", EACCES) ? NULL : listing(__file_find(name), -1); }
PUBLIC DIR *fdopendir(int fd) { return listing(__descriptor_file(fd), fd); }
PUBLIC int dirfd(DIR *directory) {
  if (directory->fd < 0)
    directory->fd = __descriptor_for(directory->file, READ);
  return directory->fd;
}

static bool is_known(const DIR *directory, const char *entry) {
  for (struct file *file = __files; file != NULL; file = file->next) {
    const char *last = file->name == NULL ? NULL : __file_within(directory->file->name, file->name);
    if (last != NULL && strcmp(last, entry) == 0)
      return true;
  }
  return false;
}

static struct dirent *present(DIR *directory, const char *name, unsigned char type) {
  enum { ROOM = sizeof directory->entry.name };
  directory->entry.number = 1;
  directory->entry.length = sizeof directory->entry;
  directory->entry.type = type;
  strlcpy(directory->entry.name, name, ROOM);
  return &directory->entry;
}

PUBLIC struct dirent *readdir(DIR *directory) {
  enum { A_DIRECTORY = 4, A_FILE = 8 };
  const char *name = directory->file->name;
  if (directory->dots < 2)
    return present(directory, directory->dots++ == 0 ? "." : "..", A_DIRECTORY);
  while (directory->known != NULL) {
    struct file *file = directory->known;
    directory->known = file->next;
    const char *last = file->name == NULL || file->kind == REMOVED ? NULL : __file_within(name, file->name);
    if (last != NULL)
      return present(directory, last, file->kind == DIRECTORY ? A_DIRECTORY : A_FILE);
  }
  char entry[256];
  int kind = 0;
  while (!directory->file->made && (kind = __mneme_outside_entry(name, directory->outside++, entry)) != 0)
    if (!is_known(directory, entry))
      return present(directory, entry, kind == OUTSIDE_DIRECTORY ? A_DIRECTORY : A_FILE);
  return NULL;
}
PUBLIC struct dirent *readdir64(DIR *directory) { return readdir(directory); }

PUBLIC void rewinddir(DIR *directory) {
  directory->known = __files;
  directory->dots = 0;
  directory->outside = 0;
}

PUBLIC int closedir(DIR *directory) {
  int result = directory->fd >= 0 ? close(directory->fd) : 0;
  free(directory);
  return result;
}

/* ---- changes ---- */

PUBLIC int mkdir(const char *name, unsigned mode) {
  if (fails("mkdir", ENOSPC))
    return -1;
  if (__file_find(name) != NULL) {
    errno = EEXIST;
    return -1;
  }
  struct file *file = errno == ENOENT ? __file_make(name) : NULL;
  if (file == NULL)
    return -1;
  file->kind = DIRECTORY;
  file->permissions = __file_permissions(mode);
  return 0;
}

PUBLIC int mkdirat(int directory, const char *name, unsigned mode) {
  const char *way = __file_at(directory, name);
  return way == NULL ? -1 : mkdir(way, mode);
}

static bool is_empty(struct file *directory) {
  DIR rest = {.file = directory, .dots = 2, .known = __files};
  return readdir(&rest) == NULL;
}

PUBLIC int rmdir(const char *name) {
  if (fails("rmdir", EACCES))
    return -1;
  struct file *file = __file_find(name);
  if (file == NULL)
    return -1;
  if (file->kind != DIRECTORY || !is_empty(file)) {
    errno = file->kind != DIRECTORY ? ENOTDIR : ENOTEMPTY;
    return -1;
  }
  file->kind = REMOVED;
  return 0;
}

/* The file stays for those who have it open. */
static int take_away(const char *name) {
  struct file *file = __file_find(name);
  if (file == NULL)
    return -1;
  if (file->kind == DIRECTORY) {
    errno = EISDIR;
    return -1;
  }
  struct file *rest = __file_load(file), *gone = malloc(sizeof *gone);
  if (gone == NULL)
    return -1;
  *gone = (struct file){.next = __files, .name = file->name, .kind = REMOVED, .loaded = true};
  __files = gone;
  rest->name = NULL;
  return 0;
}

PUBLIC int unlink(const char *name) { return fails("unlink", EACCES) ? -1 : take_away(name); }

PUBLIC int unlinkat(int directory, const char *name, int flags) {
  const char *way = __file_at(directory, name);
  return way == NULL ? -1 : flags & AT_REMOVEDIR ? rmdir(way) : unlink(way);
}

PUBLIC int remove(const char *name) {
  struct file *file = __file_find(name);
  return file != NULL && file->kind == DIRECTORY ? rmdir(name) : unlink(name);
}

PUBLIC int rename(const char *from, const char *to) {
  if (fails("rename", EACCES))
    return -1;
  struct file *file = __file_find(from);
  if (file == NULL)
    return -1;
  if (file->kind != ORDINARY) {
    errno = EXDEV;
    return -1;
  }
  __file_load(file);
  struct file *other = __file_find(to);
  if (other == file)
    return 0;
  if (other != NULL && other->kind == DIRECTORY) {
    errno = EISDIR;
    return -1;
  }
  if (other != NULL && take_away(to) != 0)
    return -1;
  struct file *made = __file_make(to);
  if (made == NULL || !__file_grow(made, file->size))
    return -1;
  memcpy(made->bytes, file->bytes, file->size);
  made->size = file->size;
  made->permissions = file->permissions;
  return take_away(from);
}
