/* Reports every path on which bytes of an input reach a call: --taint INPUT:FUNCTION, or --taint FUNCTION for any
 * input. They are in an argument, or in the string that it points to; what only decides where the path goes does not
 * count. */
#include <mneme_handler.h>

#ifndef MNEME_TAINT_CALL
#error "name the input and the function with --taint"
#endif

/* Can the string at `p`, if it lies in `object`, have bytes of the input? */
static bool in_string(const char *p, const char *object) {
  bool goes_on = mneme_belongs_to(p, object);
  size_t start = mneme_offset_in(p, object);
  for (size_t k = 0; k < mneme_size_of(object) && (mneme_is_symbolic(goes_on) || goes_on); k++) {
    if (mneme_comes_from(object[k], MNEME_TAINT_INPUT) && mneme_possible(goes_on & (start <= k)))
      return true;
    goes_on = goes_on & ((k < start) | (object[k] != 0));
  }
  return false;
}

static bool comes_with(uint64_t argument) {
  const char *p = (const char *)(uintptr_t)argument;
  bool comes = mneme_comes_from(argument, MNEME_TAINT_INPUT);
  for (size_t n = 0; !comes && n < mneme_candidates(p); n++) {
    const char *object = mneme_candidate(p, n);
    comes = object != NULL && mneme_is_alive(object) && in_string(p, object);
  }
  return comes;
}

MNEME_BEFORE(MNEME_TAINT_CALL, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f) {
  if (comes_with(a) || comes_with(b) || comes_with(c) || comes_with(d) || comes_with(e) || comes_with(f))
    mneme_note(MNEME_TAINT_TEXT);
}
