/* What a confined program must do in its own folder instead of /tmp, which it may not write to. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

FILE *__wrap_tmpfile(void) {
  char name[] = "./tmpfileXXXXXX";
  int fd = open(".", O_TMPFILE | O_RDWR | O_EXCL, 0600);
  if (fd < 0 && (fd = mkstemp(name)) >= 0)
    unlink(name);
  return fd < 0 ? NULL : fdopen(fd, "w+");
}
