#define _GNU_SOURCE
#include "kubectl.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void exit_with_error(int code, const char *format, ...) {
  va_list more;
  va_start(more, format);
  fputs("error: ", stderr);
  vfprintf(stderr, format, more);
  fputc('\n', stderr);
  va_end(more);
  _exit(code);
}

/* The value of option `name` or `letter` at argv[*i], which may be the word
 * after it; NULL if that is another option. */
static const char *option_value(char **argv, int *i, const char *name,
                                const char *letter) {
  const char *word = argv[*i];
  size_t length = strlen(name);
  if (strncmp(word, name, length) == 0 && word[length] == '=')
    return word + length + 1;
  if (strcmp(word, name) == 0 || strcmp(word, letter) == 0) {
    if (!argv[*i + 1])
      exit_with_error(1, "flag needs an argument: %s", word);
    return argv[++*i];
  }
  if (word[1] != '-' && strncmp(word, letter, 2) == 0)
    return word + 2 + (word[2] == '=');
  return NULL;
}

/* The words of the list are between spaces. */
static int is_one_of(const char *word, const char *list) {
  size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); ++at)
    if (at != list && at[-1] == ' ' && at[length] == ' ')
      return 1;
  return 0;
}

static void parse_option(struct exec_request *q, char **argv, int *i) {
  const char *found;
  if ((found = option_value(argv, i, "--namespace", "-n")))
    q->ns = found;
  else if ((found = option_value(argv, i, "--container", "-c")))
    q->container = found;
  else if (is_one_of(argv[*i], " -i --stdin --stdin=true -it -ti "))
    q->has_stdin = 1;
  else if (!is_one_of(argv[*i], " -t --tty --tty=true -q --quiet "))
    exit_with_error(
        1, "unknown flag: %s; this node's kubectl knows -i, -t, -n and -c",
        argv[*i]);
}

struct exec_request parse_arguments_or_exit(char **argv) {
  struct exec_request q = {NULL, NULL, NULL, 0, NULL};
  int is_exec = 0;
  for (int i = 1; argv[i] && !q.command; ++i) {
    if (strcmp(argv[i], "--") == 0)
      q.command = argv + i + 1;
    else if (argv[i][0] == '-')
      parse_option(&q, argv, &i);
    else if (!is_exec && strcmp(argv[i], "exec") != 0)
      exit_with_error(
          1, "\"%s\" is not known: this node's kubectl knows only exec",
          argv[i]);
    else if (!is_exec)
      is_exec = 1;
    else if (!q.pod)
      q.pod = strncmp(argv[i], "pod/", 4) == 0 ? argv[i] + 4 : argv[i];
    else
      q.command = argv + i;
  }
  if (!q.pod || !q.command || !*q.command)
    exit_with_error(
        1, "usage: kubectl exec [-i] [-n NAMESPACE] POD [-c CONTAINER] -- "
           "COMMAND [ARG...]");
  return q;
}
