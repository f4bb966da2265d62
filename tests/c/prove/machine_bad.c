/* The same, but an answer may come twice. */
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
      if (mneme_bool("answer")) {
        received++, state = IDLE;
        if (mneme_bool("twice"))
          received++;
      }
      break;
    }
    assert(sent - received <= 1);
    assert(state != IDLE || sent == received); // FAULT: assertion-failure
    if (sent == 50 && received == 50)
      sent = received = 0;
  }
}

// RUN: --prove
// MODELS: objects heaplets planes
