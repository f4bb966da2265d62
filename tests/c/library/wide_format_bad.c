/* swprintf is told that the buffer is larger than it is. */
#include <wchar.h>

int main(void) {
  wchar_t to[8];
  swprintf(to, 16, L"%ls", L"more than eight"); // FAULT: out-of-bounds-write
  return 0;
}
