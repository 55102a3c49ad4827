#include "actors/jobs/gang_reason_query.hpp"

#include "frameworks/core/gangs/gang.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "k8s/calls.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

const k8s::resource queues{"scheduling.volcano.sh", "v1beta1", "queues",
                           "Queue"};

/// Jobs that all wait since before we started do not ask all at once.
constexpr std::chrono::seconds spread{30};

bool job_waits_for_gang(const core::job& j, const core::observed_children& seen,
                        const core::job_status& status,
                        const core::cluster_options& cluster) {
  return status.gang_wait_since && !status.is_finished() && !j.policy.suspend
         && core::is_held_for_gang(seen, status, cluster);
}

} // namespace

gang_reason_query::step gang_reason_query::begin_query_if_due(
    const core::job& j, const core::observed_children& seen,
    const core::job_status& status, const core::cluster_options& cluster,
    k8s::time_point now, double jitter) {
  const auto* group = core::own_pod_group(seen);
  if (!group || !job_waits_for_gang(j, seen, status, cluster)) {
    queries_ = 0;
    not_before_ = {};
    return {};
  }
  if (in_flight_)
    return {};
  // The wall clock may have been set back since.
  last_ = std::min(last_, now);
  not_before_ = std::min<k8s::time_point>(not_before_, now + spread);
  auto due =
      core::next_gang_reason_query_at(*status.gang_wait_since, last_, queries_);
  if (queries_ == 0 && due + spread < now && not_before_ == k8s::time_point{})
    not_before_ = now
                  + std::chrono::duration_cast<k8s::time_point::duration>(
                      jitter * spread);
  due = std::max(due, not_before_);
  if (due > now)
    return {std::nullopt, due};
  in_flight_ = true;
  group_ = group->uid.text();
  queue_ = core::pod_group_queue_name_or_default(*group);
  return {k8s::list({k8s::resources::events, j.ns, "",
                     "involvedObject.uid=" + group_},
                    0, ""),
          std::nullopt};
}

gang_reason_query::result
gang_reason_query::on_events_response(const k8s::result<std::string>& answer,
                                      k8s::time_point now) {
  reason_ =
      answer ? core::most_telling_gang_reason(*answer, group_) : std::nullopt;
  bool enough = reason_ && !core::is_about_other_gang_members(reason_->message);
  if (enough || queues_forbidden_)
    return finish_query(now);
  return {k8s::get({queues, "", queue_}), std::nullopt};
}

gang_reason_query::result
gang_reason_query::on_queue_response(const k8s::result<std::string>& answer,
                                     k8s::time_point now) {
  std::optional<core::gang_reason> found;
  if (answer)
    found = core::gang_reason_unless_queue_open(queue_, *answer);
  else if (answer.error().code == k8s::ec::not_found
           && answer.error().message.find('"' + queue_ + '"')
                  != std::string::npos)
    // (Without the name it is the resource that the server does not know.)
    found = core::gang_reason_unless_queue_open(queue_, std::nullopt);
  else if (answer.error().code == k8s::ec::forbidden)
    queues_forbidden_ = true;
  if (found)
    reason_ = std::move(found);
  return finish_query(now);
}

gang_reason_query::result gang_reason_query::finish_query(k8s::time_point now) {
  in_flight_ = false;
  last_ = now;
  ++queries_;
  if (reason_ && reason_->message.empty())
    reason_.reset();
  return {std::nullopt, reason_};
}

} // namespace troupe::actors
