/* Wide strings, their conversion and wprintf do what the C library's do. */
#include <assert.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

int main(void) {
  wchar_t text[16];
  wcscpy(text, L"one");
  wcsncat(text, L", two", 16 - wcslen(text) - 1);
  assert(wcscmp(text, L"one, two") == 0);
  assert(wcsstr(text, L"two") == text + 5);
  assert(wcschr(text, L'x') == NULL);
  wchar_t *copy = wcsdup(text);
  assert(copy != NULL && wmemcmp(copy, text, 9) == 0);
  free(copy);
  assert(swprintf(text, 16, L"%d|%ls|%5s", 42, L"wide", "abc") == 13);
  assert(wcscmp(text, L"42|wide|  abc") == 0);
  assert(swprintf(text, 4, L"%ls", L"too long") == -1);
  char bytes[8];
  assert(wcstombs(bytes, L"abc", sizeof bytes) == 3 && bytes[3] == '\0');
  assert(towupper(L'q') == L'Q' && iswalpha(L'q') && !iswdigit(L'q'));
  return wprintf(L"%ls=%d\n", L"x", 7); // VALUES: 4
}

// PATHS: 1
