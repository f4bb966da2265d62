/* The parts of a URI: scheme, host, port, path. */
#include "text.h"

struct uri {
  const char *host, *port, *path;
  size_t scheme_length, host_length;
};

static size_t span(const char *s, char a, char b) {
  size_t n = 0;
  while (s[n] && s[n] != a && s[n] != b)
    n++;
  return n;
}

static int parse(const char *s, struct uri *uri) {
  uri->scheme_length = span(s, ':', '/');
  if (s[uri->scheme_length] != ':' || uri->scheme_length == 0)
    return -1;
  s += uri->scheme_length + 1;
  if (s[0] != '/' || s[1] != '/')
    return -2;
  uri->host = s + 2;
  uri->host_length = span(uri->host, ':', '/');
  s = uri->host + uri->host_length;
  uri->port = *s == ':' ? s + 1 : NULL;
  if (uri->port)
    s = uri->port + span(uri->port, '/', '/');
  uri->path = s;
  return 0;
}

int main(void) {
  const char *s = text();
  struct uri uri;
  int failed = parse(s, &uri);
  if (failed)
    return -failed;
  klee_assert(uri.host >= s + 4);
  klee_assert(*uri.path == '/' || *uri.path == 0);
  if (uri.port)
    return 3;
  return 0;
}

// RUN: --merge none #apart
// RUN: --merge patterns #patterns
// RUN: --merge patterns -DCAPACITY=5 --paranoid #paranoid
// MODELS: objects
// MODELS[patterns]: objects planes
// VALUES[apart]: 0 1 2 3
