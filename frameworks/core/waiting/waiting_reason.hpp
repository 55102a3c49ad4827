#pragma once

#include "frameworks/core/model/cluster_options.hpp"
#include "frameworks/core/model/expectations.hpp"
#include "frameworks/core/model/next_move.hpp"
#include "frameworks/core/model/status.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::core {

/// What a job waits for, and whose move it is. Its text: "WHAT, HOW: DETAILS;
/// THEN".
struct waiting_reason {
  std::string what; ///< "the creation of pod worker-0".
  std::string how;  ///< "which has failed 3 times"; "" if there is no more.
  /// In the words of the API server, kubelet or scheduler: "exceeded quota:
  /// gpus".
  std::string details;
  std::string then; ///< "it is tried again".
  mover whose_move = mover::nobody;
  std::string who; ///< In words: "the scheduler; a person if no node fits".
  /// When the wait began, if that is known.
  std::optional<time_point> since;
  /// When it ends, if nothing else has to happen for that. The text contains
  /// the time left, after `then`, or after `what` if there is no `then`.
  std::optional<time_point> until;
  /// The row of the table that applies, by its name: "failed-call".
  const char* row = "";
};

/// "its deletion in 10m, by ttlSecondsAfterFinished".
std::string describe_wait(const waiting_reason& reason, time_point now);

/// The state of the writes of a job's status.
struct status_write_state {
  bool in_flight = false;
  int failures_in_a_row = 0;
  k8s::failure last_failure = {}; ///< If there was one.
  /// It was the annotation that saves a new attempt, before which nothing
  /// happens.
  bool attempt_refused = false;
};

/// What Kueue tells of a job that waits in a queue, and of that queue.
struct queue_news {
  std::optional<std::int64_t> place; ///< From 1.
  std::optional<std::int64_t> place_in_cluster_queue;
  std::int64_t is_beyond = 0; ///< Not among the first of so many; 0: unknown.
  /// "ClusterQueue cq is stopped (Hold)"; "": its queues are open, or unknown.
  std::string stopped;

  bool operator==(const queue_news& o) const {
    return place == o.place
           && place_in_cluster_queue == o.place_in_cluster_queue
           && is_beyond == o.is_beyond && stopped == o.stopped;
  }
};

/// What only the supervisor of a job knows.
struct supervisor_state {
  bool recovering = false;  ///< The job's objects are being read again.
  bool undecodable = false; ///< The job as it is now cannot be read.
  status_write_state status_write = {};
  queue_news queue = {};
};

/// All that the reason depends on.
struct waiting_inputs {
  const job* wanted = nullptr; ///< nullptr: none could be read yet.
  const observed_children& seen;
  const expectations& open;
  const job_status& status; ///< As decided so far.
  const cluster_options& cluster;
  supervisor_state supervisor;
  time_point now;
  const job_status* saved = nullptr; ///< nullptr: it is the same as `status`.
};

/// nullopt: the job waits for nothing, because it has ended and nothing is left
/// to do.
std::optional<waiting_reason> find_waiting_reason(const waiting_inputs& in);

} // namespace troupe::core
