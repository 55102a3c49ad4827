#pragma once

#include "frameworks/core/model/status.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <optional>
#include <string>

namespace troupe::core {

/// A log that tells how far a job is.
struct followed_log {
  std::string pod;
  std::string pod_uid;
  std::string container;
  bool pod_ended = false; ///< It grows no more.
};

inline bool operator==(const followed_log& a, const followed_log& b) {
  return a.pod_uid == b.pod_uid && a.container == b.container
         && a.pod_ended == b.pod_ended;
}

/// The replica whose log the rules of the job are for, whether it has a pod or
/// not; nullopt: the job has no rules, or no such replica.
std::optional<slot> replica_of_log(const job& j);

/// The log to read now: that of the main container of the replica's latest pod,
/// from its start on. nullopt: there is none, or the job had ended before.
/// `saved`: its saved status.
std::optional<followed_log> log_to_follow(const job& j,
                                          const observed_children& seen,
                                          const job_status& saved);

} // namespace troupe::core
