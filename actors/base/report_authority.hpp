#pragma once

#include <mutex>
#include <string>
#include <utility>

namespace troupe::actors {

/// The certificates of the authorities of the server to which pods report how
/// far their jobs are. Written by whoever renews them, read by supervisors.
/// Thread-safe.
class report_authority {
public:
  /// PEM; "": not known yet.
  std::string text() const {
    std::lock_guard guard{mutex_};
    return text_;
  }
  /// Whether it has changed.
  bool set(std::string text) {
    std::lock_guard guard{mutex_};
    bool changes = text != text_;
    text_ = std::move(text);
    return changes;
  }

private:
  mutable std::mutex mutex_;
  std::string text_;
};

} // namespace troupe::actors
