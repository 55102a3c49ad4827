#define _GNU_SOURCE
#include "process_reaping.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t parent_of(const char *pid) {
  char path[64], text[512];
  const char *rest;
  ssize_t n;
  int fd, parent = 0;
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
    return 0;
  n = read(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = '\0';
  /* The name in parentheses may hold anything. */
  rest = strrchr(text, ')');
  if (!rest || sscanf(rest, ") %*c %d", &parent) != 1)
    return 0;
  return parent;
}

static void kill_children(void) {
  struct dirent *entry;
  DIR *proc = opendir("/proc");
  if (!proc)
    return;
  while ((entry = readdir(proc)))
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9'
        && parent_of(entry->d_name) == getpid())
      kill(atoi(entry->d_name), SIGKILL);
  closedir(proc);
}

void kill_descendants(void) {
  for (;;) {
    pid_t gone;
    while ((gone = waitpid(-1, NULL, WNOHANG)) > 0)
      ;
    if (gone < 0)
      return;
    kill_children();
    waitpid(-1, NULL, 0);
  }
}

void redirect_standard_streams_to_null(void) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd)
    dup2(null, fd);
  close(null);
}

void prepare_child_for_exec(void) {
  sigset_t none;
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int s = 1; s < NSIG; ++s)
    signal(s, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}
