/* The first process of every container, and of every command that is run in
 * one: starts the program, waits for it, and leaves nothing of it behind,
 * however it, this program or the node ends. Linked statically: the container's
 * environment must not bend it.
 *
 *   reaper MODE PARENT DIRECTORY FILE ARGV0 [ARG...]
 *
 * MODE is "-", or has letters:
 *
 *   t  Standard input is a terminal: the program gets it as its own.
 *   k  A command in a container that runs: what the program leaves behind is
 *      kept, until it has ended or is killed.
 *
 * Reports to descriptor 3 as pairs of ints (see reaper_report.h). With FILE ""
 * the container has namespaces of its own (namespaces/container_namespaces.h),
 * where the file is looked up.
 *
 *   SIGTERM   goes on to the program's process group.
 *   SIGUSR1   kills the program and all that it has started.
 *   SIGUSR2   comes from the kernel when the node is gone: kills it, too.
 */
#define _GNU_SOURCE
#include "../namespaces/container_namespaces.h"
#include "../namespaces/user_namespace.h"
#include "../base/path_map.h"
#include "../base/process_reaping.h"
#include "../base/reaper_report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void report(int fd, int what, int value) {
  struct reaper_report r = {what, value};
  if (write(fd, &r, sizeof r) < 0)
    return; /* The node is gone; so will we be. */
}

static void exec_program(const char *mode, char **argv, int report_pipe) {
  char space[PATH_MAX];
  const char *file = argv[1];
  prepare_child_for_exec();
  if (strchr(mode, 't'))
    ioctl(0, TIOCSCTTY, 0);
  if (!*file) {
    keep_only_container_capabilities();
    file = find_mapped_program(NULL, getenv("PATH"), argv[2], space,
                               sizeof space);
  }
  if (chdir(argv[0]) != 0) {
    report(report_pipe, REAPER_NO_DIRECTORY, errno);
  } else {
    if (file)
      execve(file, argv + 2, environ);
    report(report_pipe, REAPER_NO_PROGRAM, file ? errno : ENOENT);
  }
  _exit(127);
}

/* Starts the program; returns once it runs. */
static pid_t start_program(const char *mode, char **argv, int reports) {
  struct reaper_report why;
  int report_pipe[2];
  pid_t child;
  if (pipe2(report_pipe, O_CLOEXEC) != 0 || (child = fork()) < 0) {
    report(reports, REAPER_NO_PROCESS, errno);
    _exit(1);
  }
  if (child == 0)
    exec_program(mode, argv, report_pipe[1]);
  close(report_pipe[1]);
  if (read(report_pipe[0], &why, sizeof why) == sizeof why) {
    report(reports, why.what, why.value);
    _exit(1);
  }
  close(report_pipe[0]);
  report(reports, REAPER_RUNS, child);
  return child;
}

/* Takes in ended children. Returns 0 when none is left. */
static int reap_children(pid_t child, int *status, int *has_ended) {
  int state;
  pid_t gone;
  while ((gone = waitpid(-1, &state, WNOHANG)) > 0)
    if (gone == child) {
      *status = state;
      *has_ended = 1;
    }
  return gone == 0;
}

static void block_signals(sigset_t *set) {
  static const int heard[] = {SIGCHLD, SIGTERM, SIGUSR1, SIGUSR2};
  sigemptyset(set);
  for (size_t i = 0; i < sizeof heard / sizeof *heard; ++i)
    sigaddset(set, heard[i]);
  sigprocmask(SIG_SETMASK, set, NULL);
}

/* Runs the program to its end, with all that it starts. */
static void run_program(char **argv, int reports) {
  sigset_t set;
  pid_t child;
  int status = 0, has_ended = 0, is_reported = 0;
  int keeps = strchr(argv[1], 'k') != NULL;
  block_signals(&set);
  child = start_program(argv[1], argv + 3, reports);
  redirect_standard_streams_to_null();
  for (;;) {
    int s = sigwaitinfo(&set, NULL);
    if (s == SIGTERM && !has_ended)
      kill(-child, SIGTERM);
    if (s == SIGUSR1 || s == SIGUSR2) {
      keeps = 0;
      if (!has_ended) {
        kill(-child, SIGKILL);
        kill(child, SIGKILL); /* It may have left its group. */
      }
    }
    if (s == SIGCHLD && !reap_children(child, &status, &has_ended))
      keeps = 0;
    if (has_ended && !keeps)
      break;
    if (has_ended && !is_reported) {
      is_reported = 1;
      report(reports, REAPER_ENDED, status);
    }
  }
  kill_descendants();
  if (!is_reported)
    report(reports, REAPER_ENDED, status);
}

int main(int argc, char **argv) {
  sigset_t set;
  if (argc < 6)
    return 2;
  block_signals(&set);
  signal(SIGHUP, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, SIGUSR2);
  fcntl(REAPER_FD, F_SETFD, FD_CLOEXEC);
  if (getppid() != atoi(argv[2])) /* Gone before we could ask to be told. */
    return 1;
  if (!*argv[4])
    return run_in_namespaces(argv, strchr(argv[1], 'k') != NULL, run_program);
  run_program(argv, REAPER_FD);
  return 0;
}
