#pragma once

#include "frameworks/core/model/decision.hpp"
#include "frameworks/core/model/framework.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace troupe::actors {

/// Why jobs are not acted on that another operator may look after. Written by
/// `other_operator_watch`, read by supervisors. Thread-safe.
class other_operator {
public:
  explicit other_operator(std::string reason)
      : reason_(std::move(reason)) {}

  /// "" if nobody else looks after them.
  std::string reason() const {
    std::lock_guard guard{mutex_};
    return reason_;
  }
  /// Whether it has changed.
  bool set_reason(std::string reason) {
    std::lock_guard guard{mutex_};
    bool changes = reason != reason_;
    reason_ = std::move(reason);
    return changes;
  }

private:
  mutable std::mutex mutex_;
  std::string reason_;
};

/// What is known before the first answer about this Lease.
std::string unknown_operator_reason(const std::string& lease);

/// What is told of a job that is left to another operator from now on, for
/// these reasons of before and now; nullopt if there is nothing new.
std::optional<core::job_event> left_to_other_event(const core::framework& kind,
                                                   const std::string& before,
                                                   const std::string& now);

} // namespace troupe::actors
