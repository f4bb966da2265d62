/* A pointer of which nothing is known may be null, and an array may be shorter than the caller says. */
int first(const int *p) {
  return *p; // FAULT[first]: null-dereference
}

int sum(const int *a, unsigned n) {
  int s = 0;
  for (unsigned i = 0; i < n; i++)
    s += a[i]; // FAULT[sum]: null-dereference, out-of-bounds-read
  return s;
}

int divide(int a, int b) {
  return a / b; // FAULT[divide]: division-by-zero, signed-overflow
}

int limit = 5, *cursor;

/* Global variables may hold anything, too. */
int below(int i) {
  if (limit < 3)
    return 10 / limit; // FAULT[below]: division-by-zero
  return *cursor + i;  // FAULT[below, initial]: null-dereference
}

// RUN: --function first #first
// RUN: --function sum --elements 4 #sum
// STOPS[sum]: the size of objects made on demand
// RUN: --function divide #divide
// RUN: --function below #below
// RUN: --function below --globals initial #initial
// MODELS: objects planes
