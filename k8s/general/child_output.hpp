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

/// Runs a program without input and returns its output; its stderr is ours.
/// Blocks. A program that exceeds its time or a mebibyte of output is killed
/// together with its process group. Errors do not say where the command was
/// configured.
result<std::string> run_for_output(const child_program& c);

} // namespace troupe::k8s
