/* Streams: reading, writing and their state. Unbuffered; files.c opens them. */
#include "libc.h"

static FILE input = {.fd = 0, .flags = STREAM_NO_WRITES};
static FILE output = {.fd = 1, .flags = STREAM_NO_READS};
static FILE errors = {.fd = 2, .flags = STREAM_NO_READS};
PUBLIC FILE *stdin = &input;
PUBLIC FILE *stdout = &output;
PUBLIC FILE *stderr = &errors;

/* A call that is short does one byte. */
PUBLIC long write(int fd, const void *bytes, size_t size) {
  enum fate outcome = __mneme_fate("write", ENOSPC, size > 1 ? IS_SHORT : FAILS);
  return outcome == FAILS ? -1 : __stream_write(fd, bytes, outcome == IS_SHORT ? 1 : size);
}
PUBLIC long read(int fd, void *bytes, size_t size) {
  enum fate outcome = __mneme_fate("read", EIO, size > 1 ? IS_SHORT : FAILS);
  return outcome == FAILS ? -1 : __stream_read(fd, bytes, outcome == IS_SHORT ? 1 : size);
}

/* Whether a call on a stream fails by --sym-failures, as the stream then says. */
static bool breaks(FILE *stream, const char *call, int error) {
  bool failed = fails(call, error);
  if (failed)
    stream->flags |= STREAM_ERROR;
  return failed;
}

/* ---- output ---- */

/* Notes that `stream` was opened for the other direction. */
static void refuse(FILE *stream) {
  stream->flags |= STREAM_ERROR;
  errno = EBADF;
}

bool __mneme_put(FILE *stream, const void *bytes, size_t size) {
  if (size == 0)
    return true;
  if (stream->flags & STREAM_NO_WRITES) {
    refuse(stream);
    return false;
  }
  if (__stream_write(stream->fd, bytes, size) >= 0)
    return true;
  stream->flags |= STREAM_ERROR;
  return false;
}

PUBLIC int fputc(int c, FILE *stream) {
  unsigned char byte = (unsigned char)c;
  return __mneme_put(stream, &byte, 1) ? byte : EOF;
}

PUBLIC int fputs(const char *restrict text, FILE *restrict stream) {
  return __mneme_put(stream, text, strlen(text)) ? 1 : EOF;
}

PUBLIC int puts(const char *text) { return fputs(text, stdout) == EOF || fputc('\n', stdout) == EOF ? EOF : 1; }

PUBLIC size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict stream) {
  if (size == 0 || count == 0 || breaks(stream, "write", ENOSPC))
    return 0;
  return __mneme_put(stream, from, size * count) ? count : 0;
}

PUBLIC int putc(int c, FILE *stream) { return fputc(c, stream); }
PUBLIC int putchar(int c) { return fputc(c, stdout); }
PUBLIC int putc_unlocked(int c, FILE *stream) { return fputc(c, stream); }
PUBLIC int putchar_unlocked(int c) { return fputc(c, stdout); }
PUBLIC int fputc_unlocked(int c, FILE *stream) { return fputc(c, stream); }
PUBLIC int fputs_unlocked(const char *restrict text, FILE *restrict stream) { return fputs(text, stream); }
PUBLIC size_t fwrite_unlocked(const void *restrict from, size_t size, size_t count, FILE *restrict stream) {
  return fwrite(from, size, count, stream);
}
PUBLIC int _IO_putc(int c, FILE *stream) { return fputc(c, stream); }
PUBLIC int __overflow(FILE *stream, int c) { return fputc(c, stream); }

PUBLIC void perror(const char *prefix) {
  const char *text = strerror(errno);
  if (prefix != NULL && *prefix != '\0') {
    fputs(prefix, stderr);
    fputs(": ", stderr);
  }
  fputs(text, stderr);
  fputc('\n', stderr);
}

/* ---- input ---- */

int __mneme_getc(FILE *stream) {
  if (stream->flags & STREAM_NO_READS) {
    refuse(stream);
    return EOF;
  }
  if (stream->pushed_back_count > 0)
    return stream->pushed_back[--stream->pushed_back_count];
  unsigned char byte;
  long count = __stream_read(stream->fd, &byte, 1);
  if (count == 1)
    return byte;
  stream->flags |= count == 0 ? STREAM_EOF : STREAM_ERROR;
  return EOF;
}

PUBLIC int fgetc(FILE *stream) { return breaks(stream, "read", EIO) ? EOF : __mneme_getc(stream); }

PUBLIC int ungetc(int c, FILE *stream) {
  if (c == EOF || stream->pushed_back_count == MOST_PUSHED_BACK)
    return EOF;
  stream->flags &= ~STREAM_EOF;
  return stream->pushed_back[stream->pushed_back_count++] = (unsigned char)c;
}

PUBLIC char *fgets(char *restrict to, int size, FILE *restrict stream) {
  int n = 0;
  if (size <= 0 || breaks(stream, "read", EIO))
    return NULL;
  while (n < size - 1) {
    int c = __mneme_getc(stream);
    if (c == EOF)
      break;
    to[n++] = (char)c;
    if (c == '\n')
      break;
  }
  if (n == 0 && size > 1)
    return NULL;
  to[n] = '\0';
  return to;
}

PUBLIC char *gets(char *to) {
  int n = 0, c;
  while ((c = __mneme_getc(stdin)) != EOF && c != '\n')
    to[n++] = (char)c;
  if (c == EOF && n == 0)
    return NULL;
  to[n] = '\0';
  return to;
}

PUBLIC size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict stream) {
  unsigned char *bytes = to;
  size_t wanted = size * count, got = 0;
  if (wanted == 0 || breaks(stream, "read", EIO))
    return 0;
  if (stream->flags & STREAM_NO_READS) {
    refuse(stream);
    return 0;
  }
  while (stream->pushed_back_count > 0 && got < wanted)
    bytes[got++] = (unsigned char)__mneme_getc(stream);
  while (got < wanted) {
    long n = __stream_read(stream->fd, bytes + got, wanted - got);
    if (n <= 0) {
      stream->flags |= n == 0 ? STREAM_EOF : STREAM_ERROR;
      break;
    }
    got += (size_t)n;
  }
  return got / size;
}

PUBLIC long getdelim(char **restrict line, size_t *restrict size, int delimiter, FILE *restrict stream) {
  size_t n = 0;
  for (;;) {
    if (*line == NULL || n + 2 > *size) {
      size_t larger = *line == NULL || *size < 60 ? 120 : *size * 2;
      char *grown = realloc(*line, larger);
      if (grown == NULL)
        return -1;
      *line = grown;
      *size = larger;
    }
    int c = __mneme_getc(stream);
    if (c == EOF)
      break;
    (*line)[n++] = (char)c;
    if (c == delimiter)
      break;
  }
  if (n == 0)
    return -1;
  (*line)[n] = '\0';
  return (long)n;
}

PUBLIC long getline(char **restrict line, size_t *restrict size, FILE *restrict stream) {
  return getdelim(line, size, '\n', stream);
}
PUBLIC long __getdelim(char **restrict line, size_t *restrict size, int delimiter, FILE *restrict stream) {
  return getdelim(line, size, delimiter, stream);
}
PUBLIC int getc(FILE *stream) { return fgetc(stream); }
PUBLIC int getchar(void) { return fgetc(stdin); }
PUBLIC int getc_unlocked(FILE *stream) { return fgetc(stream); }
PUBLIC int getchar_unlocked(void) { return fgetc(stdin); }
PUBLIC int fgetc_unlocked(FILE *stream) { return fgetc(stream); }
PUBLIC char *fgets_unlocked(char *restrict to, int size, FILE *restrict stream) { return fgets(to, size, stream); }
PUBLIC size_t fread_unlocked(void *restrict to, size_t size, size_t count, FILE *restrict stream) {
  return fread(to, size, count, stream);
}
PUBLIC int _IO_getc(FILE *stream) { return fgetc(stream); }
PUBLIC int __uflow(FILE *stream) { return fgetc(stream); }

/* ---- wide input: in the locale "C" a character is a byte up to 127 ---- */

PUBLIC wint_t fgetwc(FILE *stream) {
  int c = fgetc(stream);
  if (c < 128)
    return c == EOF ? WEOF : (wint_t)c;
  stream->flags |= STREAM_ERROR;
  errno = EILSEQ;
  return WEOF;
}
PUBLIC wint_t getwc(FILE *stream) { return fgetwc(stream); }
PUBLIC wint_t getwchar(void) { return fgetwc(stdin); }
PUBLIC wint_t ungetwc(wint_t c, FILE *stream) { return c >= 128 || ungetc((int)c, stream) == EOF ? WEOF : c; }

PUBLIC wchar_t *fgetws(wchar_t *restrict to, int size, FILE *restrict stream) {
  int n = 0;
  if (size <= 0)
    return NULL;
  while (n < size - 1) {
    wint_t c = fgetwc(stream);
    if (c == WEOF)
      break;
    to[n++] = (wchar_t)c;
    if (c == '\n')
      break;
  }
  if ((n == 0 && size > 1) || stream->flags & STREAM_ERROR)
    return NULL;
  to[n] = 0;
  return to;
}

/* ---- state ---- */

PUBLIC int fileno(FILE *stream) { return stream->fd; }
PUBLIC int fileno_unlocked(FILE *stream) { return stream->fd; }
PUBLIC int feof(FILE *stream) { return (stream->flags & STREAM_EOF) != 0; }
PUBLIC int feof_unlocked(FILE *stream) { return feof(stream); }
PUBLIC int ferror(FILE *stream) { return (stream->flags & STREAM_ERROR) != 0; }
PUBLIC int ferror_unlocked(FILE *stream) { return ferror(stream); }
PUBLIC void clearerr(FILE *stream) { stream->flags &= ~(STREAM_EOF | STREAM_ERROR); }
PUBLIC void clearerr_unlocked(FILE *stream) { clearerr(stream); }
PUBLIC int fflush(FILE *stream) { return stream != NULL && breaks(stream, "write", ENOSPC) ? EOF : 0; }
PUBLIC int fflush_unlocked(FILE *stream) { return fflush(stream); }
PUBLIC int setvbuf(FILE *restrict stream, char *restrict buffer, int mode, size_t size) {
  return (void)stream, (void)buffer, (void)mode, (void)size, 0;
}
PUBLIC void setbuf(FILE *restrict stream, char *restrict buffer) { (void)stream, (void)buffer; }
PUBLIC void setbuffer(FILE *restrict stream, char *restrict buffer, size_t size) {
  (void)stream, (void)buffer, (void)size;
}
PUBLIC void setlinebuf(FILE *stream) { (void)stream; }
PUBLIC void flockfile(FILE *stream) { (void)stream; }
PUBLIC void funlockfile(FILE *stream) { (void)stream; }
PUBLIC int ftrylockfile(FILE *stream) { return (void)stream, 0; }

/* <stdio_ext.h>: nothing waits in a buffer. */
PUBLIC size_t __fpending(FILE *stream) { return (void)stream, 0; }
PUBLIC size_t __fbufsize(FILE *stream) { return (void)stream, 0; }
PUBLIC void __fpurge(FILE *stream) { stream->pushed_back_count = 0; }
PUBLIC int __freading(FILE *stream) { return (stream->flags & STREAM_NO_WRITES) != 0; }
PUBLIC int __fwriting(FILE *stream) { return (stream->flags & STREAM_NO_READS) != 0; }
PUBLIC int __freadable(FILE *stream) { return (stream->flags & STREAM_NO_READS) == 0; }
PUBLIC int __fwritable(FILE *stream) { return (stream->flags & STREAM_NO_WRITES) == 0; }
