#include "k8s/general/child_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::k8s {

namespace {

/// The form in which posix_spawn wants its texts.
std::vector<char*> null_terminated_pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& t : texts)
    out.push_back(t.data());
  out.push_back(nullptr);
  return out;
}

void close_descriptor(int& fd) {
  if (fd >= 0)
    ::close(std::exchange(fd, -1));
}

} // namespace

pipe_ends::~pipe_ends() {
  close_read_end();
  close_write_end();
}

bool pipe_ends::open() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0)
    return false;
  read = fds[0];
  write = fds[1];
  return true;
}

void pipe_ends::close_read_end() {
  close_descriptor(read);
}

void pipe_ends::close_write_end() {
  close_descriptor(write);
}

// posix_spawn, since between fork and exec a program with many threads may do
// next to nothing, and copies its page tables for it.
int spawn_child(child_command c, pid_t& pid) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
  int last = STDERR_FILENO;
  for (auto [ours, childs] : c.descriptors) {
    ::posix_spawn_file_actions_adddup2(&files, ours, childs);
    last = std::max(last, childs);
  }
  // Sockets of this program are none of the child's business.
  ::posix_spawn_file_actions_addclosefrom_np(&files, last + 1);
  posix_spawnattr_t how;
  ::posix_spawnattr_init(&how);
  sigset_t all;
  sigset_t none;
  sigfillset(&all);
  sigemptyset(&none);
  ::posix_spawnattr_setsigdefault(&how, &all);
  ::posix_spawnattr_setsigmask(&how, &none);
  ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK
                                       | POSIX_SPAWN_SETSIGDEF);
  int error = ::posix_spawnp(&pid, c.program.c_str(), &files, &how,
                             null_terminated_pointers(c.argv).data(),
                             null_terminated_pointers(c.env).data());
  ::posix_spawnattr_destroy(&how);
  ::posix_spawn_file_actions_destroy(&files);
  return error;
}

std::string describe_spawn_error(const std::string& program, int error) {
  return program
         + (error == ENOENT
                ? " is not installed"
                : std::string{" cannot be started: "} + std::strerror(error));
}

void wait_for_child(pid_t pid) {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR)
    ;
}

} // namespace troupe::k8s
