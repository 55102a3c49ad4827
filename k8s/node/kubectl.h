/* What this node's kubectl is asked. */
#ifndef TROUPE_KUBECTL_H
#define TROUPE_KUBECTL_H

struct question {
  const char *space; /* The namespace; NULL is ours. */
  const char *pod;
  const char *container; /* NULL is the first. */
  int takes_input;
  char **command;
};

/* Reads the command line; ends the program, with a text, if that is wrong. */
struct question asked(char **argv);

/* Ends the program with "error: ...". */
void give_up(int code, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#endif
