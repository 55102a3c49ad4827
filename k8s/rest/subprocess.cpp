#include "k8s/rest/subprocess.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::k8s::rest {

namespace {

using steady = std::chrono::steady_clock;

constexpr std::size_t most_output = 1 << 20;

failure trouble(std::string what) {
  return {ec::invalid, std::move(what)};
}

/// The form in which posix_spawn wants its texts.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& t : texts)
    out.push_back(t.data());
  out.push_back(nullptr);
  return out;
}

/// Starts it with `out` as its output; 0 or an errno.
int start(const subprocess& c, int out, pid_t& pid) {
  auto words = c.args;
  words.insert(words.begin(), c.command);
  auto env = c.env;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  // Our threads block signals and we ignore some: nothing for a child to keep.
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&how, &none);
  sigset_t usual;
  sigemptyset(&usual);
  for (int s : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD})
    sigaddset(&usual, s);
  posix_spawnattr_setsigdefault(&how, &usual);
  posix_spawnattr_setpgroup(&how, 0);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
                                     | POSIX_SPAWN_SETPGROUP);
  int error = ::posix_spawnp(&pid, c.command.c_str(), &actions, &how,
                             pointers(words).data(), pointers(env).data());
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int milliseconds_until(steady::time_point end) {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      end - steady::now());
  return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

/// Reads until the end of its output; nullptr, or why that was not reached.
const char* read_all(int fd, steady::time_point end, std::string& out) {
  for (char block[4096];;) {
    pollfd ready{fd, POLLIN, 0};
    int n = ::poll(&ready, 1, milliseconds_until(end));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return "did not answer in time";
    auto got = ::read(fd, block, sizeof block);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return nullptr;
    out.append(block, static_cast<std::size_t>(got));
    if (out.size() > most_output)
      return "wrote too much";
  }
}

/// Waits for its end; false if it did not come in time.
bool ended(pid_t pid, steady::time_point end, int& status) {
  for (;;) {
    auto got = ::waitpid(pid, &status, WNOHANG);
    if (got != 0 && !(got < 0 && errno == EINTR))
      return true;
    if (milliseconds_until(end) == 0)
      return false;
    ::poll(nullptr, 0, 5);
  }
}

} // namespace

result<std::string> run_for_output(const subprocess& c) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return trouble(std::string{"no pipe: "} + std::strerror(errno));
  pid_t pid = 0;
  int error = start(c, ends[1], pid);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return trouble("cannot run " + c.command + ": " + std::strerror(error));
  }
  std::string out;
  int status = 0;
  auto deadline = steady::now() + c.timeout;
  auto fault = read_all(ends[0], deadline, out);
  if (!fault && !ended(pid, deadline, status))
    fault = "did not end in time";
  if (fault) {
    ::kill(-pid, SIGKILL);
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR)
      ;
  }
  ::close(ends[0]);
  if (fault)
    return trouble(c.command + " " + fault);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && out.empty())
    return trouble("cannot run " + c.command + ": it ended with 127");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return trouble(c.command + " failed with "
                   + (WIFEXITED(status)
                          ? "code " + std::to_string(WEXITSTATUS(status))
                          : "signal " + std::to_string(WTERMSIG(status)))
                   + "; run it by hand to see why");
  return out;
}

} // namespace troupe::k8s::rest
