#define _GNU_SOURCE
#include "container_namespaces.h"

#include "../base/process_reaping.h"
#include "../base/reaper_report.h"
#include "container_exec.h"
#include "container_root.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static void report(int fd, int what, int value) {
  struct reaper_report r = {what, value};
  if (write(fd, &r, sizeof r) < 0)
    return; /* The node is gone; so will we be. */
}

/* The text behind the report says what failed. */
static int report_failed_step(int fd, int error, const char *step) {
  report(fd, REAPER_NO_NAMESPACES, error);
  if (write(fd, step, strlen(step)) < 0)
    return 1;
  return 1;
}

static char *read_words(size_t *size) {
  size_t room = 1u << 20;
  char *words = malloc(room);
  ssize_t n;
  *size = 0;
  while (words && *size < room
         && (n = read(CONTAINER_MOUNTS_FD, words + *size, room - *size)) > 0)
    *size += (size_t)n;
  close(CONTAINER_MOUNTS_FD);
  return words;
}

static int join_and_make_namespaces(int is_command, const char **step) {
  static const struct {
    int fd, kind;
    const char *step;
  } all[] = {{CONTAINER_USER_FD, CLONE_NEWUSER, "joining the user namespace"},
             {CONTAINER_MOUNT_FD, CLONE_NEWNS, "joining the mount namespace"},
             {CONTAINER_NETWORK_FD, CLONE_NEWNET, "joining the pod's network"},
             {CONTAINER_UTS_FD, CLONE_NEWUTS, "joining the pod's host name"},
             {CONTAINER_IPC_FD, CLONE_NEWIPC, "joining the pod's IPC"},
             {CONTAINER_PROCESSES_FD, CLONE_NEWPID,
              "joining the container's processes"}};
  size_t count = sizeof all / sizeof *all - (is_command ? 0 : 1);
  for (size_t i = 0; i < count; ++i) {
    *step = all[i].step;
    if (setns(all[i].fd, all[i].kind) != 0)
      return errno;
    close(all[i].fd);
  }
  if (is_command)
    return 0;
  *step = "making a mount and a PID namespace";
  return unshare(CLONE_NEWNS | CLONE_NEWPID) == 0 ? 0 : errno;
}

/* The PID 1 of the container: when it ends, the kernel kills all others. For a
 * command it is a reaper among the container's processes. */
static void become_init(char **argv, int is_command, int reports,
                        void (*run_init)(char **, int)) {
  const char *step = "";
  int error;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  close(REAPER_FD);
  close(CONTAINER_EXEC_FD);
  if (!is_command && (error = finish_container_root(&step)))
    _exit(report_failed_step(reports, error, step));
  run_init(argv, reports);
  _exit(0);
}

/* Passes on what init reports, with a PID that the node can see. 0 at its
 * end. */
static int pass_report(int reports, pid_t init) {
  char block[4096];
  struct reaper_report *r = (struct reaper_report *)block;
  ssize_t n = read(reports, block, sizeof *r);
  if (n == sizeof *r && r->what == REAPER_RUNS)
    r->value = init;
  if (n == sizeof *r && r->what == REAPER_NO_NAMESPACES) {
    ssize_t more = read(reports, block + n, sizeof block - (size_t)n);
    n += more > 0 ? more : 0;
  }
  return n > 0 && write(REAPER_FD, block, (size_t)n) == n;
}

/* Reaps those that ended; 1 if init is among them. */
static int reap_until_init(pid_t init) {
  pid_t gone;
  while ((gone = waitpid(-1, NULL, WNOHANG)) > 0)
    if (gone == init)
      return 1;
  return 0;
}

/* 1 when init has ended. */
static int pass_signals_to_init(int signals, int is_command, pid_t init) {
  struct signalfd_siginfo s;
  while (read(signals, &s, sizeof s) == sizeof s) {
    if (s.ssi_signo == SIGCHLD && reap_until_init(init))
      return 1;
    if (s.ssi_signo == SIGUSR2 && !is_command)
      kill(init, SIGKILL);
    else if (s.ssi_signo != SIGCHLD)
      kill(init, (int)s.ssi_signo);
  }
  return 0;
}

static void supervise_init(char **argv, int is_command, pid_t init,
                           int reports) {
  struct pollfd events[3] = {{.fd = reports, .events = POLLIN},
                             {.events = POLLIN},
                             {.fd = -1, .events = POLLIN}};
  sigset_t heard;
  if (!is_command && fcntl(CONTAINER_EXEC_FD, F_GETFD) >= 0)
    events[2].fd = CONTAINER_EXEC_FD; /* A container may have none. */
  sigprocmask(SIG_BLOCK, NULL, &heard);
  events[1].fd = signalfd(-1, &heard, SFD_NONBLOCK | SFD_CLOEXEC);
  for (;;) {
    while (poll(events, 3, -1) < 0 && errno == EINTR)
      ;
    if (events[0].revents && !pass_report(reports, init))
      events[0].fd = -1;
    if (events[1].revents
        && pass_signals_to_init(events[1].fd, is_command, init))
      break;
    if (events[2].revents)
      serve_exec_request(CONTAINER_EXEC_FD, argv[3]);
  }
  while (events[0].fd >= 0 && pass_report(reports, init))
    ;
}

int run_in_namespaces(char **argv, int is_command,
                      void (*run_init)(char **argv, int reports)) {
  const char *step = "";
  pid_t node = getppid(), init;
  int reports[2], error;
  size_t size = 0;
  char *words = is_command ? NULL : read_words(&size);
  for (int fd = CONTAINER_USER_FD; fd <= CONTAINER_PROCESSES_FD; ++fd)
    fcntl(fd, F_SETFD, FD_CLOEXEC);
  if ((error = join_and_make_namespaces(is_command, &step))
      || (!is_command && (error = enter_container_root(words, size, &step))))
    return report_failed_step(REAPER_FD, error, step);
  /* Other rights take it away, and the node's right to open what is below
   * /proc/PID/ns, for commands. */
  prctl(PR_SET_PDEATHSIG, SIGUSR2);
  prctl(PR_SET_DUMPABLE, 1);
  if (getppid() != node)
    return 1;
  if (pipe2(reports, O_CLOEXEC) != 0 || (init = fork()) < 0) {
    report(REAPER_FD, REAPER_NO_PROCESS, errno);
    return 1;
  }
  if (init == 0)
    become_init(argv, is_command, reports[1], run_init);
  close(reports[1]);
  redirect_standard_streams_to_null();
  supervise_init(argv, is_command, init, reports[0]);
  return 0;
}
