#define _GNU_SOURCE
#include "container_exec.h"
#include "descriptor_message.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* By the descriptor of its directory: paths of sockets are short. */
static int connect_to_socket_file(const char *path) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  char directory[PATH_MAX], name[PATH_MAX];
  int at, fd;
  snprintf(directory, sizeof directory, "%s", path);
  snprintf(name, sizeof name, "%s", path);
  at = open(dirname(directory), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (at < 0)
    return -1;
  if (snprintf(a.sun_path, sizeof a.sun_path, "/proc/self/fd/%d/%s", at,
               basename(name))
      >= (int)sizeof a.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) != 0)
    return -1;
  close(at);
  return fd;
}

static char *join_words(char **command, size_t *size) {
  char *words, *at;
  *size = 0;
  for (char **word = command; *word; ++word)
    *size += strlen(*word) + 1;
  at = words = malloc(*size);
  for (char **word = command; words && *word; ++word)
    at = stpcpy(at, *word) + 1;
  return words;
}

static int send_call(int fd, const char *words, size_t size,
                     const int *streams) {
  struct exec_request_head head = {(uint32_t)size};
  if (!send_with_descriptors(fd, &head, sizeof head, streams, 3))
    return 0;
  while (size > 0) {
    ssize_t n = send(fd, words, size, MSG_NOSIGNAL);
    if (n <= 0)
      return 0;
    words += n;
    size -= (size_t)n;
  }
  return 1;
}

int request_exec_and_wait(const char *path, char **command,
                          const int *streams) {
  size_t size;
  int status, fd = connect_to_socket_file(path);
  char *words = join_words(command, &size);
  ssize_t n;
  if (fd < 0 || !words || !send_call(fd, words, size, streams))
    return -1;
  do
    n = recv(fd, &status, sizeof status, MSG_WAITALL);
  while (n < 0 && errno == EINTR);
  errno = 0;
  return n == (ssize_t)sizeof status ? status : -1;
}
