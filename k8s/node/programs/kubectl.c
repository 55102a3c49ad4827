/* `kubectl exec` on this node: runs a command as in a container of a pod.
 *
 *   kubectl exec [-i] [-n NAMESPACE] POD [-c CONTAINER] -- COMMAND [ARG...]
 *
 * The container's environment says everything that makes a process feel like
 * its pod; the node writes it, for each container that runs, to
 *
 *   $TROUPE_PODS/POD/CONTAINER       (.first leads to the first container's)
 *
 * as words that end with a zero byte: the pid of the container's reaper, the
 * working directory, and the variables. The folder is the caller's namespace:
 * no other is reached from here.
 *
 * Where pods have namespaces of their own, a socket is there instead, and the
 * container's reaper runs the command.
 *
 * Else there are three processes: this one, for its caller; a keeper; and the
 * command. The keeper kills the command when one of the others' processes ends
 * before it: we, our caller, or the container. What the command leaves running
 * stays, as in a container, as long as that runs. Linked statically: the
 * caller's environment must not bend it. */
#define _GNU_SOURCE
#include "kubectl.h"

#include "../namespaces/container_exec.h"
#include "../base/close_descriptors.h"
#include "../base/path_map.h"
#include "../base/process_reaping.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct exec_context {
  pid_t reaper;
  char *directory;
  char **environment;
};

/* -- where ---------------------------------------------------------------- */

static char *read_whole_file(const char *path, size_t *size) {
  struct stat s;
  char *text;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &s) != 0)
    return NULL;
  text = malloc((size_t)s.st_size + 1);
  if (!text || read(fd, text, (size_t)s.st_size) != s.st_size)
    return NULL;
  close(fd);
  text[s.st_size] = '\0';
  *size = (size_t)s.st_size;
  return text;
}

/* The words of the file at `path`. */
static int read_exec_context(const char *path, struct exec_context *a) {
  size_t size = 0, n = 0;
  char *text = read_whole_file(path, &size), *end = text + size;
  if (!text || !(a->environment = calloc(size + 1, sizeof(char *))))
    return 0;
  a->reaper = atoi(text);
  a->directory = text + strlen(text) + 1;
  if (a->reaper <= 0 || a->directory >= end)
    return 0;
  for (char *word = a->directory + strlen(a->directory) + 1; word < end;
       word += strlen(word) + 1)
    a->environment[n++] = word;
  return 1;
}

static void exit_unless_valid_name(const char *name) {
  if (!*name || *name == '.' || strchr(name, '/'))
    exit_with_error(1, "\"%s\" is no name", name);
}

/* No right is asked for here, so a namespace is the limit. */
static void exit_unless_own_namespace(const char *ns, const char *pods) {
  const char *slash = strrchr(pods, '/');
  const char *own = slash ? slash + 1 : pods;
  if (strcmp(ns, own) != 0)
    exit_with_error(1,
                    "namespace \"%s\" is not reached from a pod of namespace "
                    "\"%s\": this node's kubectl runs commands in pods of its "
                    "own namespace only; leave out -n",
                    ns, own);
}

/* The file of the container, which may not be there. */
static void make_context_path_or_exit(const struct exec_request *q, char *path,
                                      size_t size) {
  const char *pods = getenv("TROUPE_PODS");
  if (!pods)
    exit_with_error(1,
                    "this kubectl works in pods of the node that it came from");
  exit_unless_valid_name(q->pod);
  if (q->container)
    exit_unless_valid_name(q->container);
  if (q->ns)
    exit_unless_own_namespace(q->ns, pods);
  snprintf(path, size, "%s/%s/%s", pods, q->pod,
           q->container ? q->container : ".first");
}

static void __attribute__((noreturn))
exit_as_not_running(const struct exec_request *q) {
  if (q->container)
    exit_with_error(1,
                    "container \"%s\" of pod \"%s\" does not run on this node",
                    q->container, q->pod);
  exit_with_error(1, "pod \"%s\" does not run on this node", q->pod);
}

/* Returns a descriptor that tells the end of the container. */
static int open_container_or_exit(const struct exec_request *q,
                                  const char *path, struct exec_context *a) {
  int container_fd = -1;
  errno = 0;
  if (read_exec_context(path, a))
    container_fd = (int)syscall(SYS_pidfd_open, a->reaper, 0);
  /* Still there: so this is its process, and no later one. */
  if (container_fd >= 0 && access(path, F_OK) == 0)
    return container_fd;
  if (container_fd < 0 && errno == ENOSYS)
    exit_with_error(
        1, "this needs a kernel of 5.3 or later: pidfd_open is not there");
  exit_as_not_running(q);
}

/* -- running -------------------------------------------------------------- */

static const char *find_variable(char **environment, const char *name) {
  size_t length = strlen(name);
  for (; *environment; ++environment)
    if (strncmp(*environment, name, length) == 0
        && (*environment)[length] == '=')
      return *environment + length + 1;
  return NULL;
}

static void run_command(const struct exec_request *q,
                        const struct exec_context *a) {
  char space[PATH_MAX];
  const char *file =
      find_mapped_program(find_variable(a->environment, "TROUPE_PATHS"),
                          find_variable(a->environment, "PATH"), q->command[0],
                          space, sizeof space);
  prepare_child_for_exec();
  if (!q->has_stdin)
    dup2(open("/dev/null", O_RDONLY), 0);
  close_descriptors_from(3);
  if (chdir(a->directory) != 0)
    exit_with_error(126, "chdir: \"%s\": %s", a->directory, strerror(errno));
  if (!file)
    exit_with_error(127, "exec: \"%s\": not found in $PATH", q->command[0]);
  execve(file, q->command, a->environment);
  exit_with_error(errno == ENOENT ? 127 : 126, "exec: \"%s\": %s",
                  q->command[0], strerror(errno));
}

/* Reaps ended children and reports the command's end; 0 when none is left. */
static int reap_children(pid_t command, int report_fd, int *is_reported) {
  int status;
  pid_t gone;
  while ((gone = waitpid(-1, &status, WNOHANG)) > 0)
    if (gone == command) {
      *is_reported = 1;
      if (write(report_fd, &status, sizeof status) < 0)
        return 0; /* Nobody waits any more. */
      close(report_fd);
    }
  return gone == 0;
}

/* Runs and supervises the command. `container_fd` is readable when the
 * container has ended, `caller_fd` when the caller has; the exit status goes to
 * `report_fd`. */
static void supervise_command(const struct exec_request *q,
                              const struct exec_context *a, int container_fd,
                              int report_fd, int caller_fd) {
  sigset_t children;
  struct pollfd events[3];
  pid_t command;
  int is_reported = 0;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, NULL);
  signal(SIGPIPE, SIG_IGN);
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if ((command = fork()) == 0)
    run_command(q, a);
  if (command < 0)
    exit_with_error(1, "cannot start a process: %s", strerror(errno));
  /* The caller's reader waits for the end of what it reads. */
  for (int fd = 0; fd < 3; ++fd)
    dup2(open("/dev/null", O_RDWR | O_CLOEXEC), fd);
  events[0] = (struct pollfd){signalfd(-1, &children, SFD_NONBLOCK), POLLIN, 0};
  events[1] = (struct pollfd){container_fd, POLLIN, 0};
  events[2] = (struct pollfd){caller_fd, POLLIN, 0};
  for (;;) {
    struct signalfd_siginfo ignored;
    if (!reap_children(command, report_fd, &is_reported))
      _exit(0);
    if (is_reported)
      events[2].fd = -1; /* It need not wait for the others. */
    poll(events, 3, -1);
    while (read(events[0].fd, &ignored, sizeof ignored) > 0)
      ;
    if (events[1].revents || (events[2].fd >= 0 && events[2].revents))
      break;
  }
  if (!is_reported) {
    int killed = SIGKILL;
    if (write(report_fd, &killed, sizeof killed) < 0)
      is_reported = 1;
  }
  kill_descendants();
  _exit(0);
}

static int print_and_return_exit_code(int status) {
  int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (code != 0)
    fprintf(stderr, "command terminated with exit code %d\n", code);
  return code;
}

/* By the reaper of the container that listens at `path`. */
static int run_by_reaper(const struct exec_request *q, const char *path) {
  int streams[] = {q->has_stdin ? 0 : open("/dev/null", O_RDONLY), 1, 2};
  int status;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  status = request_exec_and_wait(path, q->command, streams);
  if (status < 0 && errno != 0)
    exit_as_not_running(q);
  return print_and_return_exit_code(status < 0 ? SIGKILL : status);
}

int main(int argc, char **argv) {
  struct exec_context a;
  struct exec_request q;
  struct stat there;
  char path[PATH_MAX];
  struct pollfd events[2];
  int report[2], hold[2], status;
  if (argc < 1)
    return 1;
  q = parse_arguments_or_exit(argv);
  make_context_path_or_exit(&q, path, sizeof path);
  if (stat(path, &there) == 0 && S_ISSOCK(there.st_mode))
    return run_by_reaper(&q, path);
  int container_fd = open_container_or_exit(&q, path, &a);
  events[1] =
      (struct pollfd){(int)syscall(SYS_pidfd_open, getppid(), 0), POLLIN, 0};
  if (pipe2(report, O_CLOEXEC) != 0 || pipe2(hold, O_CLOEXEC) != 0)
    exit_with_error(1, "cannot make a pipe: %s", strerror(errno));
  switch (fork()) {
  case -1:
    exit_with_error(1, "cannot start a process: %s", strerror(errno));
    break;
  case 0:
    close(report[0]);
    close(hold[1]);
    supervise_command(&q, &a, container_fd, report[1], hold[0]);
    break;
  default:
    close(report[1]);
  }
  events[0] = (struct pollfd){report[0], POLLIN, 0};
  while (poll(events, 2, -1) < 0 && errno == EINTR)
    ;
  if (!events[0].revents)
    return 1; /* Our caller is gone; the keeper does the rest. */
  if (read(report[0], &status, sizeof status) != sizeof status)
    return 1;
  return print_and_return_exit_code(status);
}
