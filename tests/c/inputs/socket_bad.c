/* A server that believes what a client sends. */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
  char request[4], table[8] = {0};
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons(80);
  int waiting = socket(AF_INET, SOCK_STREAM, 0);
  if (waiting < 0 || bind(waiting, (struct sockaddr *)&address, sizeof address) != 0 || listen(waiting, 5) != 0)
    return 1;
  int client = accept(waiting, NULL, NULL);
  if (client < 0)
    return 2;
  if (recv(client, request, 4, 0) != 2 || request[0] != 'G')
    return 3;
  send(client, "ok", 2, 0);
  close(client);
  close(waiting);
  return table[(unsigned char)request[1]]; // FAULT[heard]: out-of-bounds-read
}

// MODELS: objects
// RUN: --sym-socket 3 #heard
// RUN: #silent
// VALUES[heard]: 0 3
// VALUES[silent]: 2*1
// EXACT[heard]: true
// EXACT[silent]: false
