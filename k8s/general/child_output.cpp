#include "k8s/general/child_output.hpp"

#include "k8s/general/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::k8s {

namespace {

using steady = std::chrono::steady_clock;

constexpr std::size_t most_output = 1 << 20;

failure child_failure(std::string what) {
  return {ec::invalid, std::move(what)};
}

int milliseconds_until(steady::time_point end) {
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      end - steady::now());
  return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

/// Reads until the end of its output; nullptr, or why that was not reached.
const char* read_until_closed(int fd, steady::time_point end,
                              std::string& out) {
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

enum class child_end : std::uint8_t {
  known,
  late,
  unknown, ///< Somebody else took its status, and with it the pid.
};

child_end wait_for_exit(pid_t pid, steady::time_point end, int& status) {
  for (;;) {
    auto got = ::waitpid(pid, &status, WNOHANG);
    if (got == pid)
      return child_end::known;
    if (got < 0 && errno != EINTR)
      return child_end::unknown;
    if (milliseconds_until(end) == 0)
      return child_end::late;
    ::poll(nullptr, 0, 5);
  }
}

} // namespace

result<std::string> run_for_output(const child_program& c) {
  pipe_ends output;
  if (!output.open())
    return child_failure(std::string{"no pipe: "} + std::strerror(errno));
  auto argv = c.args;
  argv.insert(argv.begin(), c.command);
  pid_t pid = 0;
  int error = spawn_child(
      {c.command, std::move(argv), c.env, {{output.write, STDOUT_FILENO}}},
      pid);
  output.close_write_end();
  if (error != 0)
    return child_failure("cannot run " + c.command + ": "
                         + std::strerror(error));
  std::string out;
  int status = 0;
  auto deadline = steady::now() + c.timeout;
  auto fault = read_until_closed(output.read, deadline, out);
  auto end = fault ? child_end::late : wait_for_exit(pid, deadline, status);
  if (end == child_end::unknown)
    return child_failure("whether " + c.command
                         + " succeeded is not known, as SIGCHLD is ignored");
  if (end == child_end::late) {
    if (!fault)
      fault = "did not end in time";
    ::kill(-pid, SIGKILL);
    wait_for_child(pid);
    return child_failure(c.command + " " + fault);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && out.empty())
    return child_failure("cannot run " + c.command + ": it ended with 127");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return child_failure(c.command + " failed with "
                         + (WIFEXITED(status)
                                ? "code " + std::to_string(WEXITSTATUS(status))
                                : "signal " + std::to_string(WTERMSIG(status)))
                         + "; run it by hand to see why");
  return out;
}

} // namespace troupe::k8s
