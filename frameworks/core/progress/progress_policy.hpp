#pragma once

#include "k8s/text_pattern.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

/// What follows when a job is silent for too long.
enum class stall_action : std::uint8_t { report, restart_job, fail_job };

/// As manifests spell it: "RestartJob".
const char* to_string(stall_action a);

/// How many times a silent job is restarted, if neither a failure policy nor
/// anything else says.
inline constexpr std::int32_t most_restarts_after_stalls = 3;

/// What a line of a log may tell: the named groups of a pattern.
struct log_rule {
  std::string name;                                 ///< "" if it has none.
  std::shared_ptr<const k8s::text_pattern> pattern; ///< Not null.
};

/// How the log of one replica tells how far the job is.
struct log_policy {
  std::vector<log_rule> rules; ///< Not empty.
  /// The label of the replica's type, "worker"; "": the master, or the first
  /// replica where there is none.
  std::string type;
  std::int32_t index = 0;
};

/// spec.runPolicy.progress, or the annotation.
struct progress_policy {
  /// Whether pods are told where to report how far they are.
  bool report = false;
  /// A job that tells nothing for so long while all its replicas run is
  /// stalled; nullopt: none is.
  std::optional<std::chrono::seconds> stalled_after;
  /// The same until its program has told something; nullopt: the same time.
  std::optional<std::chrono::seconds> start_within;
  stall_action on_stalled = stall_action::report;
  std::shared_ptr<const log_policy> log; ///< nullptr: no log is read.
};

} // namespace troupe::core
