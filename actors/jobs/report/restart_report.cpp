#include "actors/jobs/report/restart_report.hpp"

#include "frameworks/core/observed/classify.hpp"
#include "frameworks/core/pass/restarts.hpp"
#include "frameworks/core/recovery/restart_progress.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace troupe::actors {

using nlohmann::json;

namespace {

void add_text_if_any(json& to, const char* key, const std::string& text) {
  if (!text.empty())
    to[key] = text;
}

json restart_json(const core::job& j, const restart_report_inputs& in) {
  const auto& r = *in.status.recovery;
  auto children = core::classify_children(j, in.memory.observed(), r);
  auto p = core::progress_of_restart(
      {j, children, in.memory.expectations(), r, *in.saved.recovery, in.now});
  auto end = r.last.recovered.value_or(in.now);
  json out{{"attempt", r.attempt},
           {"scope", core::scope_of_attempt(r)},
           {"at", k8s::to_rfc3339(r.last.time)},
           {"counted", r.counted}};
  add_text_if_any(out, "reason", r.last.reason);
  add_text_if_any(out, "pod", r.last.pod);
  add_text_if_any(out, "node", r.last.node);
  add_text_if_any(out, "types", r.last.type);
  if (!in.status.is_finished() || r.last.recovered)
    out["seconds"] =
        std::chrono::duration<double>(
            std::max(end - r.last.time, k8s::time_point::duration{0}))
            .count();
  if (r.last.recovered)
    out["recovered"] = k8s::to_rfc3339(*r.last.recovered);
  if (p.stage == core::restart_stage::none || in.status.is_finished())
    return out;
  out["stage"] = core::to_string(p.stage);
  add_text_if_any(out, "progress", core::describe_progress_of_restart(p));
  return out;
}

std::int64_t count_restarts_in_window(const core::failure_policy& policy,
                                      const core::recovery_status& r,
                                      k8s::time_point now) {
  if (!policy.window)
    return r.counted;
  return std::count_if(
      r.counted_times.begin(), r.counted_times.end(),
      [&](auto t) { return t > now || now - t < *policy.window; });
}

/// With the restarts that count against the limit that holds.
json policy_json(const core::job& j, const restart_report_inputs& in) {
  const auto& policy = j.failure_policy_or_default();
  json out{{"scope", core::to_string(policy.scope)}};
  if (policy.max_restarts) {
    out["maxRestarts"] = *policy.max_restarts;
    out["counted"] =
        count_restarts_in_window(policy, *in.status.recovery, in.now);
  } else if (j.policy.backoff_limit) {
    out["backoffLimit"] = *j.policy.backoff_limit;
    out["counted"] =
        in.status.recovery->counted + core::total_restarts(in.status.restarts);
  }
  add_text_if_any(out, "window", policy.window ? policy.window_text : "");
  return out;
}

} // namespace

void add_restart_report(json& to, const restart_report_inputs& in) {
  if (in.times.counted_since()) {
    auto t = in.times.times(in.now);
    to["goodput"] = {{"allRunningSeconds", t.all_running.count()},
                     {"lostSeconds", t.lost.count()},
                     {"since", k8s::to_rfc3339(*in.times.counted_since())}};
  }
  const auto& job = in.memory.job();
  if (!job)
    return;
  if (job->policy.failure)
    to["failurePolicy"] = policy_json(*job, in);
  // A job that has not begun fails because of them, and says so in a condition.
  if (!in.status.is_finished())
    for (const auto& e : job->policy_errors)
      to["policyErrors"].push_back({{"field", e.field}, {"text", e.text}});
  if (in.status.recovery->attempt > 0)
    to["restart"] = restart_json(*job, in);
  auto before = core::pods_made_before_policy(*job, in.memory.observed());
  if (!before.empty() && !in.status.is_finished())
    to["podsMadeBeforePolicy"] = before.size();
}

} // namespace troupe::actors
