/* Locals of callers may be used by callees, and static locals by anybody. */
static int *counter(void) {
  static int n;
  n++;
  return &n;
}

static void add(int *to, int v) { *to += v; }

int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++)
    add(&sum, *counter());
  return sum;
}

// PATHS: 1
// VALUES: 6*1
// EXACT: true
