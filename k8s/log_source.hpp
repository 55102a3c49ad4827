#pragma once

#include "k8s/result.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace troupe::k8s {

/// The options of GET pods/NAME/log.
struct log_options {
  bool follow = false;
  bool previous = false;   ///< The container's run before the latest.
  bool timestamps = false; ///< Each line begins with its time.
  std::optional<std::int64_t> tail_lines;
  std::optional<std::int64_t> limit_bytes;
  std::optional<std::chrono::seconds> since;
};

/// Receives a log. Called on a thread of the log, one call at a time.
struct log_sink {
  /// Takes the next piece. Returns whether more is wanted, or at least `end`.
  std::function<bool(std::string)> chunk;
  std::function<void(result<nothing>)> end; ///< Called once, as the last.
  /// Whether the sink takes more now; if not, it is asked again later. Null:
  /// always.
  std::function<bool()> is_ready = nullptr;
};

/// The keeper of the logs of pods: the node. Thread-safe.
class log_source {
public:
  virtual ~log_source() = default;

  /// Streams one container's log ("" means the only or the first one). A log
  /// that does not exist ends with ec::not_found and the whole sentence for the
  /// user. The returned function cancels the stream; the sink is not called
  /// after it has returned.
  virtual std::function<void()> stream_log(const std::string& ns,
                                           const std::string& pod,
                                           const std::string& container,
                                           const log_options& options,
                                           log_sink to) = 0;
};

} // namespace troupe::k8s
