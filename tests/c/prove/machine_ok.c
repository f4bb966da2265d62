/* A machine with few states, which come back: nothing has to be guessed. */
#include <assert.h>
#include <mneme.h>

enum { IDLE, SENDING, WAITING } state;
int sent, received;

int main(void) {
  for (;;) {
    switch (state) {
    case IDLE:
      if (mneme_bool("send"))
        sent++, state = SENDING;
      break;
    case SENDING:
      state = WAITING;
      break;
    case WAITING:
      if (mneme_bool("answer"))
        received++, state = IDLE;
      break;
    }
    assert(sent - received <= 1);
    assert(state != IDLE || sent == received);
    if (sent == 50 && received == 50)
      sent = received = 0;
  }
}

// RUN: --prove
// MODELS: objects heaplets planes
