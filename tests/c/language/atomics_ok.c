/* Atomic operations, one thread: each is a load, an operation and a store. */
#include <assert.h>
#include <stdatomic.h>

static atomic_int counter = 5;
static _Atomic unsigned char small = 250;
static _Atomic long long wide = 1;
static long long plain = 3;
static struct pair { int a, b; } start = {1, 2};
static _Atomic(struct pair) both;

int main(void) {
  assert(atomic_fetch_add(&counter, 3) == 5 && atomic_fetch_sub_explicit(&counter, 1, memory_order_relaxed) == 8);
  assert(atomic_fetch_or(&counter, 8) == 7 && atomic_fetch_and(&counter, 12) == 15 && atomic_fetch_xor(&counter, 5) == 12);
  assert(atomic_exchange(&counter, 40) == 9);
  int expected = 39;
  assert(!atomic_compare_exchange_strong(&counter, &expected, 1) && expected == 40);
  while (!atomic_compare_exchange_weak(&counter, &expected, 41)) {
  }
  assert(counter == 41 && ++counter == 42);
  small += 10;
  assert(small == 4);
  wide <<= 40;
  assert(atomic_load(&wide) == 1LL << 40);
  assert(__atomic_fetch_nand(&plain, 1, __ATOMIC_SEQ_CST) == 3 && plain == -2 && __sync_fetch_and_max((int *)&counter, 50) == 42);
  assert(__sync_bool_compare_and_swap((int *)&counter, 50, 51) && __sync_val_compare_and_swap((int *)&counter, 1, 2) == 51);
  atomic_store(&both, start);
  struct pair now = atomic_load(&both);
  assert(now.a == 1 && now.b == 2);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_flag flag = ATOMIC_FLAG_INIT;
  assert(!atomic_flag_test_and_set(&flag) && atomic_flag_test_and_set(&flag));
  atomic_flag_clear(&flag);
  return 0;
}

// RUN:
// RUN: --cflags=-O2
// RUN: --m32
// VALUES: 0*1
// EXACT: true
