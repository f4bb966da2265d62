/* Buffers that overlap, with --aliases overlapping: one begins inside of another, in either order, and every object can be seen
   as bytes. What an attribute says of a size holds there, too. */
int forwards(char to[static 2], const char from[static 2]) {
  char last = from[1];
  to[0] = from[0];
  to[1] = from[1];
  if (to[1] != last)
    return 1;
  return 2;
}

int backwards(char to[static 2], const char from[static 2]) {
  char first = from[0];
  to[1] = from[1];
  to[0] = from[0];
  if (to[0] != first)
    return 1;
  return 2;
}

int as_bytes(int n[static 1], unsigned char byte[static 1]) {
  *n = 0;
  *byte = 1;
  if (*n == 256)
    return 1;
  return 2;
}

/* Both may be the same buffer, which is large enough for the larger one. */
int lengths(const char a[static 1], const char b[static 3]) { return a[0] + b[2]; }

/* There may be something before it, or nothing. */
int before(const char p[static 1]) {
  return p[-1]; // FAULT[before, first]: out-of-bounds-read
}

// RUN: --function forwards --aliases overlapping --elements 4 #overlap
// RUN: --function backwards --aliases overlapping --elements 4 #overlap
// RUN: --function as_bytes --aliases overlapping --elements 4 #overlap
// VALUES[overlap]: 1 2
// RUN: --function forwards --elements 4 #same
// RUN: --function backwards --elements 4 #same
// RUN: --function as_bytes --elements 4 #same
// VALUES[same]: 2
// RUN: --function lengths --elements 4 #lengths
// RUN: --function before --aliases overlapping --elements 4 #before
// RUN: --function before --elements 4 #first
// PATHS[before]: 1
// PATHS[first]: 0
// STOPS[before, first]: the size of objects made on demand
// EXACT[overlap, same, lengths]: true
// MODELS: objects planes
