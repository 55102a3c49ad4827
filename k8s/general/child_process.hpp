#pragma once

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace troupe::k8s {

// What starting a program takes. Whose output is read, and how its end is
// awaited, differs from caller to caller and is theirs.

/// A pipe; its ends are closed with it, and in every child.
struct pipe_ends {
  int read = -1;
  int write = -1;

  pipe_ends() = default;
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
  ~pipe_ends();

  bool open(); ///< False with an errno.
  void close_read_end();
  void close_write_end();
};

/// A program to start.
struct child_command {
  std::string program;           ///< A path, or a name to look up in PATH.
  std::vector<std::string> argv; ///< With its own name.
  std::vector<std::string> env;  ///< "NAME=value", complete.
  /// Which descriptor of ours becomes which of the child's. It has no others,
  /// but /dev/null as its input and our standard error.
  std::vector<std::pair<int, int>> descriptors;
};

/// Starts a program in a session of its own, with no signal blocked or
/// ignored. 0, or an errno.
int spawn_child(child_command c, pid_t& pid);

/// Waits for the end of a child; its wait status.
int wait_for_child(pid_t pid);

} // namespace troupe::k8s
