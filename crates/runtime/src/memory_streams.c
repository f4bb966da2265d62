/* Streams on memory of the program: fmemopen and open_memstream. Since streams are not buffered, what is written is seen
 * at once, earlier than the program may rely on it. */
#include "files.h"

/* Of open_memstream: where the program wants to know its text and the length of it. */
struct text {
  struct file file;
  char **start;
  size_t *length;
};

/* The text is as long as what was written, and ends with a zero that does not count. */
static void show_text(struct file *file) {
  struct text *text = (struct text *)file;
  size_t size = file->size;
  if (__file_grow(file, size + 1))
    file->bytes[size] = '\0';
  *text->start = (char *)file->bytes;
  *text->length = size;
}

PUBLIC FILE *open_memstream(char **start, size_t *length) {
  struct text *text = calloc(1, sizeof *text);
  if (text == NULL)
    return NULL;
  *text = (struct text){.file = {.loaded = true, .made = true, .shown = show_text}, .start = start, .length = length};
  show_text(&text->file);
  return __stream_in_memory(&text->file, "w");
}

/* What lies behind written text becomes a zero if there is room, as glibc does it. */
static void show_buffer(struct file *file) {
  if (file->size < file->capacity)
    file->bytes[file->size] = '\0';
}

PUBLIC FILE *fmemopen(void *buffer, size_t size, const char *mode) {
  struct file *file = calloc(1, sizeof *file);
  if (file == NULL || (buffer == NULL && (buffer = calloc(1, size)) == NULL))
    return NULL;
  *file = (struct file){.bytes = buffer, .capacity = size, .fixed = true, .loaded = true, .made = true, .shown = show_buffer};
  file->size = *mode == 'r' ? size : *mode == 'a' ? strnlen(buffer, size) : 0;
  if (*mode == 'w' && size > 0)
    file->bytes[0] = '\0';
  return __stream_in_memory(file, mode);
}
