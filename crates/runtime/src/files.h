/* The file system of a path (files.c) as descriptors (descriptors.c) and directories (directories.c) use it. */
#ifndef MNEME_FILES_H
#define MNEME_FILES_H

#include "libc.h"

enum { EEXIST = 17, ENOTDIR = 20, EISDIR = 21, ENOTTY = 25, ESPIPE = 29, ENOTEMPTY = 39 };

struct file {
  struct file *next;
  char *name; /* as `__file_name` gives it; NULL: without a name from the start */
  unsigned char *bytes;
  size_t size, capacity;
  /* The devices keep nothing. REMOVED: the name is free. */
  enum { ORDINARY, DIRECTORY, NOTHING, ZEROS, CONSOLE, CONNECTION, REMOVED } kind;
  bool loaded; /* its bytes are here; before that they are outside, or symbolic and not made yet */
  bool made;   /* by the program: nothing of it is outside */
  bool fixed;  /* its bytes are a buffer of the program, which has no more room than this */
  unsigned permissions; /* shown, but nobody is refused */
  size_t most; /* of a symbolic file: its greatest size */
  /* Of a file whose bytes the program has (memory_streams.c): called when they have changed. */
  void (*shown)(struct file *);
};

/* All files that the path knows, the newest first. */
extern struct file *__files;

/* The one name of a file: seen from the root, without `.` and `..`, as far as that can be said without looking. The
 * caller frees it. Sets `*symbolic` if bytes of it are. */
char *__file_name(const char *name, bool *symbolic);
/* The directory that names are seen from, as `__file_name` gives it. */
extern char *__file_here;
/* The absolute name of what `__file_name` gave this one; the caller frees it. */
char *__file_absolute(const char *name);
/* Whether the name ends with a slash: that of a directory, or of nothing. */
bool __file_is_directory_name(const char *name);
/* The permissions of a new file or directory for which the program asks for `mode`. */
unsigned __file_permissions(unsigned mode);
/* The file or directory that the path has made or met under that name; NULL if there is none, with errno. */
struct file *__file_known(const char *name);
/* The file or directory of that name; NULL if there is none, with errno. */
struct file *__file_find(const char *name);
/* The same for a program that wants what is in it: one that is not there is an input, too. */
struct file *__file_look(const char *name);
/* The same with its bytes. */
struct file *__file_load(struct file *file);
/* An empty one of that name, which replaces any other; NULL if it cannot be. */
struct file *__file_make(const char *name);
/* Standard input. */
struct file *__file_standard_input(void);
/* What the other side of a new connection sends; NULL if there are no connections, with errno. */
struct file *__file_connection(void);

/* What a descriptor refers to (descriptors.c). */
struct open_file {
  struct file *file;
  size_t position;
  int mode, users;
};
enum { READ = 1, WRITE = 2, APPEND = 4 };
/* The one behind `fd` if it is open in these ways; else NULL, with errno. */
struct open_file *__descriptor_opened(int fd, int mode);
/* Its file; NULL if it is not open, with errno. */
struct file *__descriptor_file(int fd);
/* A name for what `name` means in the directory behind a descriptor, until the next call; NULL if there is none, with
 * errno. */
const char *__file_at(int directory, const char *name);
/* A new descriptor; -1 if there is none left, with errno. */
int __descriptor_for(struct file *file, int mode);
/* A stream on a file without a name, in the directions that the mode says. */
FILE *__stream_in_memory(struct file *file, const char *mode);
/* Makes room for `size` bytes. */
bool __file_grow(struct file *file, size_t size);
/* Whether `name` lies directly in `directory`; its last part then. */
const char *__file_within(const char *directory, const char *name);

#endif
