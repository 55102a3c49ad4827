#pragma once

#include "frameworks/core/gangs/gang_events.hpp"
#include "frameworks/core/model/cluster_options.hpp"
#include "frameworks/core/model/status.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "k8s/api.hpp"

#include <optional>
#include <string>

namespace troupe::actors {

/// Finds out why a pod group is not admitted: lists the events on it, and reads
/// its queue if they do not give a reason. It asks only after the job has
/// waited for some time, and at growing intervals, so no watch of events is
/// needed. What may not be read is skipped. A value: its owner sends the calls.
class gang_reason_query {
public:
  /// What there is to do now.
  struct step {
    /// Its answer is for on_events_response.
    std::optional<k8s::request> events_call;
    std::optional<k8s::time_point> next_at; ///< When to ask again, if ever.
  };

  /// What an answer led to.
  struct result {
    /// Its answer is for on_queue_response.
    std::optional<k8s::request> queue_call;
    std::optional<core::gang_reason> reason; ///< Of the group; at the end.
  };

  /// `jitter` in [0, 1).
  step begin_query_if_due(const core::job& j,
                          const core::observed_children& seen,
                          const core::job_status& status,
                          const core::cluster_options& cluster,
                          k8s::time_point now, double jitter);

  result on_events_response(const k8s::result<std::string>& answer,
                            k8s::time_point now);
  result on_queue_response(const k8s::result<std::string>& answer,
                           k8s::time_point now);

  /// UID of the group of the current or last query.
  const std::string& pod_group_uid() const { return group_; }

private:
  result finish_query(k8s::time_point now);

  std::string group_;
  std::string queue_; ///< Its queue.
  int queries_ = 0;
  k8s::time_point not_before_{};
  k8s::time_point last_{};
  bool in_flight_ = false;
  bool queues_forbidden_ = false;
  std::optional<core::gang_reason> reason_; ///< Found so far.
};

} // namespace troupe::actors
