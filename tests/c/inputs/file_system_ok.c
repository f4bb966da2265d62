/* What a program makes lives in a file system of its own: directories, renaming, removing, descriptors. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  struct stat about;
  assert(mkdir("d", 0755) == 0 && mkdir("d", 0755) == -1 && errno == EEXIST);
  assert(open("none/x", O_WRONLY | O_CREAT, 0600) == -1 && errno == ENOENT);
  int fd = open("d/x", O_RDWR | O_CREAT, 0600);
  assert(fd == 3 && write(fd, "hello", 5) == 5);
  assert(fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 5);
  int other = dup(fd);
  assert(other == 4 && lseek(other, 1, SEEK_SET) == 1 && lseek(fd, 0, SEEK_CUR) == 1);
  assert(close(fd) == 0 && dup2(other, 3) == 3 && close(other) == 0);
  assert(rename("d/x", "d/y") == 0 && access("d/x", F_OK) == -1 && access("d/./y", R_OK) == 0);
  assert(stat("d", &about) == 0 && S_ISDIR(about.st_mode));
  DIR *dir = opendir("d");
  int found = 0;
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
    found += entry->d_name[0] == '.' ? 1 : strcmp(entry->d_name, "y") == 0 ? 10 : 100;
  assert(found == 12 && closedir(dir) == 0);
  assert(rmdir("d") == -1 && errno == ENOTEMPTY && unlink("d/y") == 0 && rmdir("d") == 0);
  assert(stat("d", &about) == -1 && errno == ENOENT);
  assert(ftruncate(3, 2) == 0 && lseek(3, 0, SEEK_END) == 2 && isatty(3) == 0 && errno == ENOTTY);
  char here[512];
  assert(getcwd(here, sizeof here) == here && here[0] == '/' && getcwd(here, 1) == NULL);
  return close(3);
}

// MODELS: objects
// VALUES: 0*1
