/* Sockets as far as a client or a server with one conversation at a time needs them: whoever it connects to and whoever
 * connects to it is there at once, sends what the inputs say (--sym-socket) and closes; what is written to it is lost.
 * Absent: datagrams, names of hosts, waiting for several (select, poll), what the addresses say. */
#include "files.h"

enum { ENOTSOCK = 88, ENOTCONN = 107, ECONNREFUSED = 111, ECONNABORTED = 103 };

typedef unsigned length_t;

static struct open_file *socket_of(int fd) {
  struct open_file *one = __descriptor_opened(fd, 0);
  if (one == NULL || one->file->kind == CONNECTION)
    return one;
  errno = ENOTSOCK;
  return NULL;
}

/* Not connected yet: it can neither be read nor written. */
PUBLIC int socket(int family, int type, int protocol) {
  (void)family, (void)type, (void)protocol;
  if (fails("socket", EMFILE))
    return -1;
  struct file *nothing = __file_make(NULL);
  if (nothing != NULL)
    nothing->kind = CONNECTION;
  return __descriptor_for(nothing, 0);
}

PUBLIC int connect(int fd, const void *address, length_t size) {
  (void)address, (void)size;
  struct open_file *one = socket_of(fd);
  if (one == NULL || fails("connect", ECONNREFUSED))
    return -1;
  struct file *connection = __file_connection();
  if (connection == NULL) {
    errno = ECONNREFUSED;
    return -1;
  }
  one->file = connection;
  one->mode = READ | WRITE;
  return 0;
}

PUBLIC int bind(int fd, const void *address, length_t size) {
  (void)address, (void)size;
  return socket_of(fd) == NULL || fails("bind", EACCES) ? -1 : 0;
}
PUBLIC int listen(int fd, int waiting) {
  (void)waiting;
  return socket_of(fd) == NULL || fails("listen", EACCES) ? -1 : 0;
}

/* The addresses of those who connect are not known. */
PUBLIC int accept(int fd, void *address, length_t *size) {
  (void)address;
  if (socket_of(fd) == NULL || fails("accept", EMFILE))
    return -1;
  if (size != NULL)
    *size = 0;
  struct file *connection = __file_connection();
  if (connection == NULL) {
    errno = ECONNABORTED;
    return -1;
  }
  return __descriptor_for(connection, READ | WRITE);
}

static bool is_connected(int fd) {
  struct open_file *one = socket_of(fd);
  if (one != NULL && one->mode == 0)
    errno = ENOTCONN;
  return one != NULL && one->mode != 0;
}

PUBLIC long recv(int fd, void *bytes, size_t size, int flags) {
  (void)flags;
  return is_connected(fd) ? read(fd, bytes, size) : -1;
}
PUBLIC long send(int fd, const void *bytes, size_t size, int flags) {
  (void)flags;
  return is_connected(fd) ? write(fd, bytes, size) : -1;
}

PUBLIC int shutdown(int fd, int how) { return (void)how, is_connected(fd) ? 0 : -1; }
PUBLIC int setsockopt(int fd, int level, int option, const void *value, length_t size) {
  (void)level, (void)option, (void)value, (void)size;
  return socket_of(fd) == NULL ? -1 : 0;
}

/* ---- numbers and addresses as they are sent ---- */

PUBLIC uint16_t htons(uint16_t n) { return __builtin_bswap16(n); }
PUBLIC uint16_t ntohs(uint16_t n) { return __builtin_bswap16(n); }
PUBLIC uint32_t htonl(uint32_t n) { return __builtin_bswap32(n); }
PUBLIC uint32_t ntohl(uint32_t n) { return __builtin_bswap32(n); }

/* Four numbers with dots. */
PUBLIC int inet_aton(const char *text, uint32_t *to) {
  uint32_t address = 0;
  for (int part = 0; part < 4; part++) {
    unsigned number = 0, digits = 0;
    for (; isdigit((unsigned char)*text) && number < 256; text++, digits++)
      number = number * 10 + (unsigned)(*text - '0');
    if (digits == 0 || number > 255 || *text != (part < 3 ? '.' : '\0'))
      return 0;
    address = address << 8 | number;
    text++;
  }
  *to = htonl(address);
  return 1;
}
PUBLIC uint32_t inet_addr(const char *text) {
  uint32_t address;
  return inet_aton(text, &address) ? address : UINT32_MAX;
}
