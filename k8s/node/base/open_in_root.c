#define _GNU_SOURCE
#include "open_in_root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int open_without_links(int root, const char *part) {
  char name[NAME_MAX + 1];
  struct stat s;
  int at = fcntl(root, F_DUPFD_CLOEXEC, 0);
  for (;;) {
    size_t length;
    int next;
    part += strspn(part, "/");
    length = strcspn(part, "/");
    if (at < 0 || length == 0)
      return at;
    if (length >= sizeof name)
      break;
    memcpy(name, part, length);
    name[length] = '\0';
    part += length;
    if (strcmp(name, "..") == 0)
      break;
    next = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    close(at);
    at = next;
    if (at >= 0 && (fstat(at, &s) != 0 || S_ISLNK(s.st_mode)))
      break;
  }
  close(at);
  errno = ELOOP;
  return -1;
}

/* The C library may be older than the call. */
int open_in_root(int root, const char *part) {
  enum { CALL = 437, IN_ROOT = 0x10, TRIES = 100 };
  const uint64_t how[3] = {O_PATH | O_CLOEXEC, 0, IN_ROOT};
  int fd = -1;
  for (int i = 0; i < TRIES && fd < 0; ++i) {
    fd = (int)syscall(CALL, root, part, how, sizeof how);
    if (fd < 0 && errno != EAGAIN) /* Something was moved meanwhile. */
      break;
  }
  return fd < 0 && (errno == ENOSYS || errno == EPERM)
             ? open_without_links(root, part)
             : fd;
}

/* Whether the descriptor's path is this one, which has no slash at its end. */
static int is_at(int fd, const char *source, const char *part) {
  char link[64], path[PATH_MAX], wanted[2 * PATH_MAX];
  const char *slash = *part && strcmp(source, "/") != 0 ? "/" : "";
  ssize_t n;
  int length = snprintf(wanted, sizeof wanted, "%s%s%s", source, slash, part);
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  n = readlink(link, path, sizeof path);
  return n > 0 && n == length && memcmp(path, wanted, (size_t)n) == 0;
}

int open_exactly(const char *source, const char *part) {
  int fd, root = open(source, O_PATH | O_CLOEXEC);
  if (root < 0)
    return -1;
  fd = *part ? open_in_root(root, part) : root;
  if (*part)
    close(root);
  if (fd >= 0 && !is_at(fd, source, part)) {
    close(fd);
    errno = ELOOP;
    return -1;
  }
  return fd;
}
