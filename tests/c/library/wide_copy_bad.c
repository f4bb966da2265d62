/* A wide string that is copied to a buffer of as many bytes as it has characters. */
#include <stdlib.h>
#include <wchar.h>

int main(void) {
  wchar_t *to = malloc(wcslen(L"twelve chars") + 1);
  if (to != NULL)
    wcscpy(to, L"twelve chars"); // FAULT: out-of-bounds-write
  free(to);
  return 0;
}
