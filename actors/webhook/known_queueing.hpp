#pragma once

#include "frameworks/core/model/cluster_options.hpp"

#include <mutex>
#include <utility>

namespace troupe::actors {

/// What is known now of queueing, for threads that answer reviews. Thread-safe.
class known_queueing {
public:
  explicit known_queueing(core::queueing_options options)
      : options_(std::move(options)) {}

  void set(core::queueing_options options) {
    std::lock_guard guard{mutex_};
    options_ = std::move(options);
  }

  core::queueing_options get() const {
    std::lock_guard guard{mutex_};
    return options_;
  }

private:
  mutable std::mutex mutex_;
  core::queueing_options options_; // Under it.
};

} // namespace troupe::actors
