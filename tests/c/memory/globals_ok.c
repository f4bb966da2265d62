/* Initialised globals: nested structures, pointers into other globals and past their end, functions, zeros, aliases. */
#include <assert.h>

struct item {
  const char *name;
  int *cell;
  int (*f)(int);
};

static int twice(int x) { return 2 * x; }
static int cells[3] = {1, 2, 3};
static int *end = cells + 3;
static struct item items[] = {{"one", &cells[0], twice}, {"three", &cells[2], 0}};
static struct {
  long zero[100];
  struct item *last;
} big = {.last = &items[1]};
double pi = 3.25;

int main(void) {
  assert(end[-1] == 3);
  assert(end - cells == 3);
  assert(items[1].name[4] == 'e');
  *items[1].cell = 40;
  assert(cells[2] == 40);
  assert(items[0].f(21) == 42);
  assert(big.last->cell == &cells[2]);
  assert(big.zero[99] == 0);
  return *big.last->cell + (int)sizeof pi;
}

// PATHS: 1
// VALUES: 48*1
// EXACT: true
