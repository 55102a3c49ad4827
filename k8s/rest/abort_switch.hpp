#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace troupe::k8s::rest {

/// Ends something that may not have begun yet. Thread-safe.
class abort_switch {
public:
  /// cancel() calls `abort`; if it was called before, `abort` is called at
  /// once.
  void set_abort_handler(std::function<void()> abort) {
    std::unique_lock lock{mutex_};
    abort_ = std::move(abort);
    auto now = cancelled_ ? abort_ : nullptr;
    lock.unlock();
    if (now)
      now();
  }

  void cancel() {
    std::unique_lock lock{mutex_};
    cancelled_ = true;
    auto now = abort_;
    lock.unlock();
    if (now)
      now();
  }

  bool is_cancelled() {
    std::lock_guard guard{mutex_};
    return cancelled_;
  }

private:
  std::mutex mutex_;
  std::function<void()> abort_; ///< Once it has begun.
  bool cancelled_ = false;
};

} // namespace troupe::k8s::rest
