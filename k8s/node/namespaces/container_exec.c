#define _GNU_SOURCE
#include "container_exec.h"

#include "../base/close_descriptors.h"
#include "../base/path_map.h"
#include "../base/process_reaping.h"
#include "descriptor_message.h"
#include "user_namespace.h"

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
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_WORDS = 1 << 22 }; /* Bytes; the kernel takes no more. */

struct exec_call {
  char **command;
  int streams[3];
};

/* -- reading -------------------------------------------------------------- */

static int read_call(int connection, struct exec_call *call) {
  struct exec_request_head head;
  size_t count = 0;
  char *words;
  if (!receive_with_descriptors(connection, &head, sizeof head, call->streams,
                                3)
      || head.size == 0 || head.size > MAX_WORDS
      || !(words = malloc(head.size))
      || recv(connection, words, head.size, MSG_WAITALL)
             != (ssize_t)head.size
      || words[head.size - 1] != '\0'
      || !(call->command = calloc(head.size + 1, sizeof(char *))))
    return 0;
  for (char *word = words; word < words + head.size; word += strlen(word) + 1)
    call->command[count++] = word;
  return 1;
}

/* -- running -------------------------------------------------------------- */

static void run_command(const struct exec_call *call, const char *directory) {
  char space[PATH_MAX];
  const char *file;
  prepare_child_for_exec();
  /* Not yet where they go: they may be in each other's place. */
  for (int i = 0; i < 3; ++i)
    if (dup2(fcntl(call->streams[i], F_DUPFD_CLOEXEC, 16), i) < 0)
      _exit(126);
  close_descriptors_from(3);
  keep_only_container_capabilities();
  if (chdir(directory) != 0) {
    dprintf(2, "error: chdir: \"%s\": %s\n", directory, strerror(errno));
    _exit(126);
  }
  file = find_mapped_program(NULL, getenv("PATH"), call->command[0], space,
                             sizeof space);
  if (file)
    execve(file, call->command, environ);
  else
    errno = ENOENT;
  dprintf(2, "error: exec: \"%s\": %s\n", call->command[0],
          file ? strerror(errno) : "not found in $PATH");
  _exit(errno == ENOENT ? 127 : 126);
}

/* Reaps; the command's end is sent. 0 when no process is left. */
static int reap_and_answer(pid_t command, int connection, int *is_answered) {
  int status;
  pid_t gone;
  while ((gone = waitpid(-1, &status, WNOHANG)) > 0)
    if (gone == command) {
      *is_answered = 1;
      if (send(connection, &status, sizeof status, MSG_NOSIGNAL) < 0)
        return 0; /* Nobody waits any more. */
      shutdown(connection, SHUT_RDWR);
    }
  return gone == 0;
}

/* What the command leaves running stays, as long as the container runs; a
 * caller that goes before the command's end takes it along. */
static void run_and_supervise_command(int connection, const char *directory) {
  struct pollfd events[2] = {{.fd = connection, .events = POLLIN},
                             {.events = POLLIN}};
  struct signalfd_siginfo ignored;
  struct exec_call call;
  sigset_t children;
  pid_t command;
  int is_answered = 0;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_SETMASK, &children, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  events[1].fd = signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC);
  if (!read_call(connection, &call) || (command = fork()) < 0)
    _exit(1);
  if (command == 0)
    run_command(&call, directory);
  for (int i = 0; i < 3; ++i)
    close(call.streams[i]); /* Their readers wait for the end. */
  redirect_standard_streams_to_null();
  for (;;) {
    if (!reap_and_answer(command, connection, &is_answered))
      break;
    if (is_answered)
      events[0].fd = -1;
    poll(events, 2, -1);
    while (read(events[1].fd, &ignored, sizeof ignored) > 0)
      ;
    if (events[0].fd >= 0 && events[0].revents) {
      kill_descendants();
      break;
    }
  }
  _exit(0);
}

void serve_exec_request(int listener, const char *directory) {
  int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (connection < 0)
    return;
  if (fork() == 0) {
    close(listener);
    run_and_supervise_command(connection, directory);
  }
  close(connection);
}
