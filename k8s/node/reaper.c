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
#include "process_reaping.h"
#include "reaper_report.h"

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

static void exec_program(char **argv, int report_pipe) {
  reset_child_process();
  if (chdir(argv[2]) != 0) {
    report(report_pipe, REAPER_NO_DIRECTORY, errno);
  } else {
    execve(argv[3], argv + 4, environ);
    report(report_pipe, REAPER_NO_PROGRAM, errno);
  }
  _exit(127);
}

/* Starts the program; returns once it runs. */
static pid_t start_program(char **argv) {
  struct reaper_report why;
  int report_pipe[2];
  pid_t child;
  if (pipe2(report_pipe, O_CLOEXEC) != 0 || (child = fork()) < 0) {
    report(REAPER_FD, REAPER_NO_PROCESS, errno);
    _exit(1);
  }
  if (child == 0)
    exec_program(argv, report_pipe[1]);
  close(report_pipe[1]);
  if (read(report_pipe[0], &why, sizeof why) == sizeof why) {
    report(REAPER_FD, why.what, why.value);
    _exit(1);
  }
  close(report_pipe[0]);
  report(REAPER_FD, REAPER_RUNS, child);
  return child;
}

/* Takes in ended children. Returns 1 if the program is among them. */
static int reap_children(pid_t child, int *status) {
  int state, has_ended = 0;
  pid_t gone;
  while ((gone = waitpid(-1, &state, WNOHANG)) > 0)
    if (gone == child) {
      *status = state;
      has_ended = 1;
    }
  return has_ended;
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
  child = start_program(argv);
  for (;;) {
    int s = sigwaitinfo(&set, NULL);
    if (s == SIGTERM)
      kill(-child, SIGTERM);
    if (s == SIGUSR1 || s == SIGUSR2) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL); /* It may have left its group. */
    }
    if (s == SIGCHLD && reap_children(child, &status))
      break;
  }
  kill_descendants();
  report(REAPER_FD, REAPER_ENDED, status);
  return 0;
}
