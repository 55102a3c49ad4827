#include "actors/jobs/report/waiting_report.hpp"

#include "actors/jobs/report/report_times.hpp"
#include "frameworks/core/gangs/gang.hpp"
#include "frameworks/core/gangs/native_gang.hpp"
#include "frameworks/core/waiting/queue_standing.hpp"
#include "frameworks/core/waiting/waiting_queue.hpp"

#include <nlohmann/json.hpp>

namespace troupe::actors {

using nlohmann::json;

namespace {

void add_if_any(json& to, const char* key, const std::string& text) {
  if (!text.empty())
    to[key] = text;
}

void add_if_any(json& to, const char* key, std::int64_t n) {
  if (n > 0)
    to[key] = n;
}

json waiting_json(const core::waiting_reason& reason, k8s::time_point now) {
  json out{{"row", reason.row},
           {"text", core::describe_wait(reason, now)},
           {"what", reason.what},
           {"whoseMove", core::to_string(reason.whose_move)},
           {"who", reason.who}};
  add_if_any(out, "how", reason.how);
  add_if_any(out, "details", reason.details);
  add_if_any(out, "then", reason.then);
  add_time_if_known(out, "since", reason.since);
  add_time_if_known(out, "until", reason.until);
  return out;
}

json queueing_json(const core::queue_standing& s) {
  json out{{"state", core::to_string(s.at)}, {"queue", s.queue}};
  add_if_any(out, "clusterQueue", s.cluster_queue);
  add_if_any(out, "workload", s.workload);
  add_if_any(out, "why", s.why);
  add_if_any(out, "stopped", s.news.stopped);
  add_if_any(out, "place", s.news.place.value_or(0));
  add_if_any(out, "placeInClusterQueue",
             s.news.place_in_cluster_queue.value_or(0));
  add_if_any(out, "notAmongTheFirst", s.news.is_beyond);
  add_if_any(out, "podsHeldBack", s.held_pods);
  add_if_any(out, "podsThatHoldQuota", s.pods_with_quota);
  add_time_if_known(out, "since", s.since);
  return out;
}

json pod_group_row_json(const core::child_view& group,
                        const core::observed_children& seen, bool awaited) {
  return {{"name", group.name},
          {"phase", core::pod_group_phase(group)},
          {"awaited", awaited},
          {"trouble", core::gang_waiting_reason(seen)}};
}

json native_group_row_json(const core::child_view& group) {
  const auto& problem = *group.problem;
  return {{"name", group.name},
          {"minCount", core::min_count_of(group)},
          {"phase", !problem.reason.empty()       ? problem.reason
                    : core::has_conditions(group) ? "Scheduled"
                                                  : "Pending"},
          {"awaited", !problem.reason.empty()},
          {"trouble", problem.message}};
}

/// Of whichever gang scheduler.
json pod_group_json_if_any(const core::waiting_inputs& in) {
  if (const auto* group = core::own_native_group(in.seen, *in.wanted))
    return native_group_row_json(*group);
  const auto* group = core::own_pod_group(in.seen);
  return group ? pod_group_row_json(
             *group, in.seen,
             core::is_held_for_gang(in.seen, in.status, in.cluster))
               : json{};
}

} // namespace

void add_waiting_report(json& to, const core::waiting_inputs& in) {
  if (auto reason = core::find_waiting_reason(in))
    to["waitingFor"] = waiting_json(*reason, in.now);
  if (auto standing = core::find_queue_standing(in))
    to["queueing"] = queueing_json(*standing);
  if (!in.wanted)
    return;
  if (auto why = core::why_not_queued(
          *in.wanted, in.saved ? *in.saved : in.status, in.cluster);
      !why.empty())
    to["notQueued"] = std::move(why);
  if (auto group = pod_group_json_if_any(in); !group.is_null())
    to["podGroup"] = std::move(group);
}

} // namespace troupe::actors
