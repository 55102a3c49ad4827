#pragma once

#include <chrono>
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
  /// When a report of any job could not be taken last, because the API server
  /// did not say whose it was, or there were too many; 0: never. Until then no
  /// job was silent.
  std::chrono::system_clock::time_point missed() const {
    std::lock_guard guard{mutex_};
    return missed_;
  }
  void note_missed(std::chrono::system_clock::time_point when) {
    std::lock_guard guard{mutex_};
    missed_ = when;
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
  std::chrono::system_clock::time_point missed_{};
};

} // namespace troupe::actors
