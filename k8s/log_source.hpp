#pragma once

#include "k8s/result.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace troupe::k8s {

/// What GET pods/NAME/log asks for.
struct log_options {
  bool follow = false;
  bool previous = false;   ///< Of the container's last life but one.
  bool timestamps = false; ///< Each line begins with its time.
  std::optional<std::int64_t> tail_lines;
  std::optional<std::int64_t> limit_bytes;
  std::optional<std::chrono::seconds> since;
};

/// Where a log goes. Called on a thread of the log's own, one at a time.
struct log_sink {
  /// The next piece. Returns whether more is wanted, or at least the end.
  std::function<bool(std::string)> chunk;
  std::function<void(result<nothing>)> end; ///< Once, at last.
  /// Whether it takes more now; if not it is asked again later. Null: always.
  std::function<bool()> is_ready = nullptr;
};

/// Whoever keeps the logs of pods: the node. Thread-safe.
class log_source {
public:
  virtual ~log_source() = default;

  /// Streams one container's log ("" means the only or the first one). A
  /// log that is not there ends with ec::not_found and the whole sentence for
  /// the user.
  /// The function returned gives up; no calls after it returns.
  virtual std::function<void()> stream_log(const std::string& ns,
                                           const std::string& pod,
                                           const std::string& container,
                                           const log_options& options,
                                           log_sink to) = 0;
};

} // namespace troupe::k8s
