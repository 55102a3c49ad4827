#pragma once

#include "k8s/node/containers/container_plan.hpp"

#include <chrono>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace troupe::k8s::node {

/// How a program ended.
struct process_end {
  int exit_code = 0; ///< 128 + n if it ended by signal n.
  int signal = 0;    ///< 0 if it ended by itself.
};

/// Decodes a wait status.
process_end to_process_end(int wait_status);

/// A program that runs under a reaper of its own (reaper.c).
struct reaped_program {
  pid_t reaper = -1;
  pid_t program = -1;
  int reports = -1; ///< The caller's: the reaper's further reports.
};

/// How long the caller's thread waits, at most, for a file system that does not
/// answer.
constexpr std::chrono::seconds program_start_limit{20};

/// Starts a program as planned and waits until it runs. `mode` is the reaper's
/// (reaper.c), `descriptors` are for child_command. ec::invalid with a text for
/// the user if it cannot be run.
result<reaped_program>
start_reaped_program(const std::string& reaper, const std::string& mode,
                     const container_plan& plan,
                     std::vector<std::pair<int, int>> descriptors,
                     std::chrono::milliseconds limit = program_start_limit);

} // namespace troupe::k8s::node
