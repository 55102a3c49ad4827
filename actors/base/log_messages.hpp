#pragma once

#include "frameworks/core/observed/followed_log.hpp"
#include "frameworks/core/progress/progress_policy.hpp"
#include "frameworks/core/progress/progress_status.hpp"
#include "k8s/result.hpp"

#include <caf/all.hpp>

#include <cstdint>
#include <memory>
#include <string>

// Messages about the logs that tell how far jobs are.

namespace troupe::actors {

/// What the rules of a job have found in the log of a pod.
struct log_report {
  std::string pod_uid;
  core::progress_status progress; ///< Without time and source.
};

/// How the reading of a log goes.
struct log_reading {
  std::string pod_uid;
  /// "" if it is read; else why not, for users.
  std::string problem;
};

/// Receives what is read of a log.
using log_owner_actor = caf::typed_actor<
    // What was found, at most once a second.
    caf::reacts_to<log_report>,
    // Whether the log is read; when this has changed.
    caf::reacts_to<log_reading>>;

/// Reads a log, in the place of the one that it read for this owner.
struct follow_log {
  log_owner_actor owner;
  std::string ns;
  core::followed_log log;
  std::shared_ptr<const core::log_policy> rules;
};

/// After this, nothing keeps the owner alive.
struct end_log {
  caf::actor_id owner = 0;
  /// What comes within some seconds is read, if the owner is there.
  bool soon = false;
};

/// Internal to the reader of logs, from the API client's threads.
struct log_bytes_arrived {
  caf::actor_id owner = 0;
  std::uint64_t stream = 0;
};
struct log_stream_opened {
  caf::actor_id owner = 0;
  std::uint64_t stream = 0;
};
/// The pod of that name, as it is after the request was accepted.
struct log_pod_read {
  caf::actor_id owner = 0;
  std::uint64_t stream = 0;
  k8s::result<std::string> pod = std::string{};
};
struct log_stream_ended {
  caf::actor_id owner = 0;
  std::uint64_t stream = 0;
  k8s::result<k8s::nothing> how = k8s::nothing{};
};

} // namespace troupe::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(::troupe::actors::log_report)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(::troupe::actors::log_reading)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(::troupe::actors::follow_log)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(::troupe::actors::end_log)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(::troupe::actors::log_bytes_arrived)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(::troupe::actors::log_stream_opened)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(::troupe::actors::log_pod_read)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(::troupe::actors::log_stream_ended)
