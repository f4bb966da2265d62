/* Who runs the program, and on what: one user, who is not root, on a machine without a name. The replay library
 * contains this file, too: what a program does must not depend on the machine. */
#include "libc.h"

enum { USER = 1000 };

PUBLIC unsigned getuid(void) { return USER; }
PUBLIC unsigned geteuid(void) { return USER; }
PUBLIC unsigned getgid(void) { return USER; }
PUBLIC unsigned getegid(void) { return USER; }
PUBLIC int getppid(void) { return 1; }

struct passwd {
  char *name, *password;
  unsigned user, group;
  char *about, *home, *shell;
};
static struct passwd user = {"user", "x", USER, USER, "", "/home/user", "/bin/sh"};
static struct passwd root = {"root", "x", 0, 0, "root", "/root", "/bin/sh"};

PUBLIC struct passwd *getpwuid(unsigned id) { return id == USER ? &user : id == 0 ? &root : NULL; }
PUBLIC struct passwd *getpwnam(const char *name) {
  return strcmp(name, user.name) == 0 ? &user : strcmp(name, root.name) == 0 ? &root : NULL;
}

struct group {
  char *name, *password;
  unsigned id;
  char **members;
};
static char *nobody[1];
static struct group users = {"user", "x", USER, nobody}, roots = {"root", "x", 0, nobody};

PUBLIC struct group *getgrgid(unsigned id) { return id == USER ? &users : id == 0 ? &roots : NULL; }
PUBLIC struct group *getgrnam(const char *name) {
  return strcmp(name, users.name) == 0 ? &users : strcmp(name, roots.name) == 0 ? &roots : NULL;
}

PUBLIC char *getlogin(void) { return user.name; }
PUBLIC int gethostname(char *to, size_t size) {
  static const char name[] = "localhost";
  if (size < sizeof name) {
    errno = 36; /* ENAMETOOLONG */
    return -1;
  }
  memcpy(to, name, sizeof name);
  return 0;
}

struct utsname {
  char system[65], node[65], release[65], version[65], machine[65], domain[65];
};
PUBLIC int uname(struct utsname *to) {
  memset(to, 0, sizeof *to);
  strcpy(to->system, "Linux");
  strcpy(to->node, "localhost");
  strcpy(to->release, "6.1.0");
  strcpy(to->version, "#1");
  strcpy(to->machine, sizeof(void *) == 8 ? "x86_64" : "i686");
  strcpy(to->domain, "(none)");
  return 0;
}
