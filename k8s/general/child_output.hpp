#pragma once

#include "k8s/result.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace troupe::k8s {

/// A program to run to its end.
struct child_program {
  std::string command; ///< A path, or a name to look up in PATH.
  std::vector<std::string> args;
  std::vector<std::string> env; ///< "NAME=value", complete.
  std::chrono::milliseconds timeout;
};

/// Runs a program without input and gives what it wrote to its output; what it
/// writes to stderr goes to ours. Blocks. One that is late or talks without end
/// is killed with all it started. Errors do not name where the command is from.
result<std::string> run_for_output(const child_program& c);

} // namespace troupe::k8s
