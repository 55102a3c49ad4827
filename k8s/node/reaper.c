/* The first process of every container: starts the container's program, waits
 * for it, and leaves nothing of it behind, however it, this program or the node
 * ends. Linked statically: the container's environment must not bend it.
 *
 *   reaper PARENT DIRECTORY FILE ARGV0 [ARG...]
 *
 * Reports to descriptor 3 as pairs of ints (see reaper_report.h).
 *
 *   SIGTERM   goes on to the container's process group.
 *   SIGUSR1   kills the container.
 *   SIGUSR2   comes from the kernel when the node is gone: kills it, too.
 */
#define _GNU_SOURCE
#include "reaper_report.h"
#include "reaping.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void report(int fd, int what, int value) {
  struct reaper_report r = {what, value};
  if (write(fd, &r, sizeof r) < 0)
    return; /* The node is gone; so will we be. */
}

static void become(char **argv, int news) {
  start_afresh();
  if (chdir(argv[2]) != 0) {
    report(news, REAPER_NO_DIRECTORY, errno);
  } else {
    execve(argv[3], argv + 4, environ);
    report(news, REAPER_NO_PROGRAM, errno);
  }
  _exit(127);
}

/* Starts the program; returns once it runs. */
static pid_t start(char **argv) {
  struct reaper_report why;
  int news[2];
  pid_t child;
  if (pipe2(news, O_CLOEXEC) != 0 || (child = fork()) < 0) {
    report(REAPER_FD, REAPER_NO_PROCESS, errno);
    _exit(1);
  }
  if (child == 0)
    become(argv, news[1]);
  close(news[1]);
  if (read(news[0], &why, sizeof why) == sizeof why) {
    report(REAPER_FD, why.what, why.value);
    _exit(1);
  }
  close(news[0]);
  report(REAPER_FD, REAPER_RUNS, child);
  return child;
}

/* Takes in who has ended. 1: the program has. */
static int has_ended(pid_t child, int *status) {
  int state, over = 0;
  pid_t gone;
  while ((gone = waitpid(-1, &state, WNOHANG)) > 0)
    if (gone == child) {
      *status = state;
      over = 1;
    }
  return over;
}

int main(int argc, char **argv) {
  static const int heard[] = {SIGCHLD, SIGTERM, SIGUSR1, SIGUSR2};
  sigset_t set;
  pid_t child;
  int status = 0;
  if (argc < 5)
    return 2;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof heard / sizeof *heard; ++i)
    sigaddset(&set, heard[i]);
  sigprocmask(SIG_SETMASK, &set, NULL);
  signal(SIGHUP, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, SIGUSR2);
  fcntl(REAPER_FD, F_SETFD, FD_CLOEXEC);
  if (getppid() != atoi(argv[1])) /* Gone before we could ask to be told. */
    return 1;
  child = start(argv);
  for (;;) {
    int s = sigwaitinfo(&set, NULL);
    if (s == SIGTERM)
      kill(-child, SIGTERM);
    if (s == SIGUSR1 || s == SIGUSR2) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL); /* It may have left its group. */
    }
    if (s == SIGCHLD && has_ended(child, &status))
      break;
  }
  leave_nothing();
  report(REAPER_FD, REAPER_ENDED, status);
  return 0;
}
