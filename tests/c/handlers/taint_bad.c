/* Bytes of an input that reach a call are reported, however they got there, and the path goes on; other inputs, and what an
 * input only decides, are not. */
// RUN: --taint name:run #name
// RUN: --taint run #any
// RUN: --taint name:write #output
// MODELS: objects planes
#include <mneme.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct order {
  char kind;
  int number;
};

static int runs;

static void run(const char *command, const struct order *order) { runs++; }

int main(void) {
  char name[4], text[16] = "ls ";
  mneme_symbolic(name, sizeof name, "name");
  struct order order;
  order.kind = 1;
  order.number = 2;
  unsigned which = mneme_uint("which");
  mneme_assume(which < 5);
  void (*through)(const char *, const struct order *) = run;
  switch (which) {
  case 0: /* A copy of it behind other text. */
    text[3] = name[0] | 1;
    text[4] = 0;
    run(text, &order); // FAULT[name, any]: handler-report
    break;
  case 1: /* Behind the end of the string. */
    text[8] = name[0];
    run(text, &order);
    break;
  case 2: /* It decides which call is made. */
    if (name[0] == 'p')
      run("pwd", &order);
    else
      run("ls", &order);
    break;
  case 3: /* In a structure, past bytes that were never written; the call is made through a pointer. */
    order.number = which + name[1];
    through("ls", &order); // FAULT[name, any]: handler-report
    break;
  default: /* An address that another input determines. */
    run(&"lsls"[which & 2], &order); // FAULT[any]: handler-report
    write(1, name, sizeof name); // FAULT[output]: handler-report
  }
  return runs;
}

// VALUES: 1
