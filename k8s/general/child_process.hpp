#pragma once

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace troupe::k8s {

// Starts programs. Callers read the output and await the end in their own ways.

/// A pipe. Its ends are closed by the destructor, and in every child.
struct pipe_ends {
  int read = -1;
  int write = -1;

  pipe_ends() = default;
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
  ~pipe_ends();

  bool open(); ///< False with errno set.
  void close_read_end();
  void close_write_end();
};

/// A program to start.
struct child_command {
  std::string program;           ///< A path, or a name to look up in PATH.
  std::vector<std::string> argv; ///< With its own name.
  std::vector<std::string> env;  ///< "NAME=value", complete.
  /// Pairs of our descriptor and the child's. It has no others, except
  /// /dev/null as its input and our standard error.
  std::vector<std::pair<int, int>> descriptors;
};

/// Starts a program in a session of its own, with no signal blocked or ignored.
/// Returns 0, or an errno.
int spawn_child(child_command c, pid_t& pid);

/// Why spawn_child did not start the program, from its errno: "NAME is not
/// installed" if there is none, else "NAME cannot be started: ...".
std::string describe_spawn_error(const std::string& program, int error);

/// Waits for the end of a child, however it ends.
void wait_for_child(pid_t pid);

} // namespace troupe::k8s
