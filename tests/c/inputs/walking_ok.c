/* Directories: around the root, relative to descriptors, sorted, changed to; permissions of what is made. */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static unsigned mode_of(const char *name) {
  struct stat about;
  assert(stat(name, &about) == 0);
  return about.st_mode & 07777;
}

int main(void) {
  struct stat about;
  char start[512], here[512];
  assert(stat("..", &about) == 0 && S_ISDIR(about.st_mode) && stat("./../..", &about) == 0 && stat("/", &about) == 0);
  assert(getcwd(start, sizeof start) == start && stat(start, &about) == 0 && S_ISDIR(about.st_mode));
  assert(mkdir("d", 0700) == 0 && mode_of("d") == 0700 && mkdir("d/e", 0777) == 0 && mode_of("d/e") == 0755);
  int directory = open("d", O_RDONLY | O_DIRECTORY);
  int fd = openat(directory, "x", O_RDWR | O_CREAT, 0640);
  assert(directory == 3 && fd == 4 && mode_of("d/x") == 0640);
  assert(fchmod(fd, 0755) == 0 && access("d/x", X_OK) == 0 && chmod("d/x", 0600) == 0 && access("d/x", X_OK) == -1);
  assert(umask(077) == 022 && close(creat("d/y", 0666)) == 0 && mode_of("d/y") == 0600 && umask(022) == 077);
  struct iovec parts[] = {{"ab", 2}, {"cde", 3}};
  char back[8] = "";
  assert(writev(fd, parts, 2) == 5 && pwrite(fd, "X", 1, 1) == 1 && pread(fd, back, 3, 1) == 3 && strcmp(back, "Xcd") == 0);
  assert(lseek(fd, 0, SEEK_CUR) == 5 && fstatat(directory, "x", &about, 0) == 0 && about.st_size == 5);
  assert(chdir("none") == -1 && errno == ENOENT && chdir("d/x") == -1 && errno == ENOTDIR);
  assert(chdir("d/e") == 0 && access("../x", F_OK) == 0 && rmdir("d") == -1);
  assert(getcwd(here, sizeof here) == here && strncmp(here, start, strlen(start)) == 0);
  assert(strcmp(here + strlen(start), "/d/e") == 0);
  char *whole = realpath("../e/./../x", NULL);
  assert(whole != NULL && strcmp(strrchr(whole, '/'), "/x") == 0 && fchdir(directory) == 0 && access("x", F_OK) == 0);
  free(whole);
  struct dirent **list;
  int count = scandir(".", &list, visible, alphasort);
  assert(count == 3 && strcmp(list[0]->d_name, "e") == 0 && list[0]->d_type == DT_DIR && list[1]->d_type == DT_REG);
  while (count > 0)
    free(list[--count]);
  free(list);
  DIR *same = fdopendir(directory);
  assert(same != NULL && dirfd(same) == directory && closedir(same) == 0 && fchdir(directory) == -1 && errno == EBADF);
  assert(chdir(start) == 0 && unlink("d/x") == 0 && access("/", X_OK) == 0);
  return 0;
}

// MODELS: objects
// VALUES: 0*1
