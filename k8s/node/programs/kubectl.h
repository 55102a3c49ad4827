/* The command line of this node's kubectl. */
#ifndef TROUPE_KUBECTL_H
#define TROUPE_KUBECTL_H

struct exec_request {
  const char *ns; /* The namespace; NULL is ours. */
  const char *pod;
  const char *container; /* NULL is the first. */
  int has_stdin;
  char **command;
};

/* Reads the command line; ends the program with an error text if it is
 * wrong. */
struct exec_request parse_arguments_or_exit(char **argv);

/* Ends the program with "error: ...". */
void exit_with_error(int code, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#endif
