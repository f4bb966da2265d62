/* A packet is a type, a length and that many bytes. The parser checks the length against its own buffer, and against the
 * packet, but forgets what the header takes. Which packet shows it? `mneme run examples/packet.c` knows. */
#include <mneme.h>
#include <string.h>

enum { HEADER = 2, ECHO = 1, RESET = 2 };

struct connection {
  unsigned char reply[8];
  unsigned replied;
  int open;
};

static int receive(struct connection *c, const unsigned char *packet, unsigned size) {
  if (size < HEADER)
    return -1;
  unsigned type = packet[0], length = packet[1];
  switch (type) {
  case ECHO:
    if (length > sizeof c->reply || length > size)
      return -1;
    for (unsigned i = 0; i < length; i++)
      c->reply[i] = packet[HEADER + i]; /* reads behind the packet when length > size - HEADER */
    c->replied = length;
    return 0;
  case RESET:
    memset(c, 0, sizeof *c);
    return 0;
  default:
    return -1;
  }
}

int main(void) {
  unsigned char packet[6];
  mneme_symbolic(packet, sizeof packet, "packet");
  struct connection c = {{0}, 0, 1};
  return receive(&c, packet, sizeof packet) == 0 ? 0 : 1;
}
