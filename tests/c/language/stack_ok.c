/* `goto *`, arrays of variable length and `alloca` in loops; frames and return addresses. */
#include <alloca.h>
#include <assert.h>
#include <string.h>

static int interpret(const unsigned char *code) {
  static const void *const labels[] = {&&stop, &&increment, &&twice};
  int value = 0;
  goto *labels[*code++];
increment:
  value++;
  goto *labels[*code++];
twice:
  value *= 2;
  goto *labels[*code++];
stop:
  return value;
}

static int sum(int n) {
  int total = 0;
  for (int i = 1; i <= n; i++) {
    int row[i];
    memset(row, 0, sizeof row);
    row[i - 1] = i;
    for (int j = 0; j < i; j++) total += row[j];
  }
  return total;
}

struct node {
  struct node *next;
  int value;
};

static int chain(int n) {
  struct node *head = 0;
  for (int i = 0; i < n; i++) {
    struct node *node = alloca(sizeof *node);
    node->next = head, node->value = i, head = node;
  }
  int total = 0;
  for (; head; head = head->next) total += head->value;
  return total;
}

__attribute__((noinline)) static void *where(void) {
  __asm__ volatile("");
  return __builtin_return_address(0);
}
__attribute__((noinline)) static int inside(char *outer) {
  char *frame = __builtin_frame_address(0), *caller = __builtin_frame_address(1);
  return frame && caller && frame != caller && outer;
}

int main(void) {
  assert(interpret((unsigned char[]){1, 2, 2, 1, 0}) == 5);
  assert(sum(20) == 210 && chain(10) == 45);
  void *first = where(), *second = where();
  char local;
  assert(first && second && first != second && inside(&local));
  return 0;
}

// RUN:
// RUN: --cflags=-O0
// RUN: --cflags=-O2
// RUN: --m32
// VALUES: 0*1
// EXACT: true
