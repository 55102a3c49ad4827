#include "frameworks/core/spec/progress_policy_reading.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/spec/failure_policy_reading.hpp"
#include "frameworks/core/spec/pod_progress.hpp"

namespace troupe::core {

namespace {

/// What of the templates keeps pods from being told where to report, or "".
std::string find_obstacle(const job& of) {
  for (const auto& type : of.replicas)
    if (auto found = obstacle_to_reporting(
            value_at(parse_json_or_null(type.pod_template), {"spec"}),
            type.main_container);
        !found.empty())
      return "the template of " + type.type + " has " + found;
  return {};
}

/// Why a job with this policy could never be known to make progress, or "".
std::string why_always_silent(const progress_policy& policy, const job& of) {
  if (!policy.report)
    return "nothing tells how far the job is; set report to true, or remove "
           "this";
  auto obstacle = find_obstacle(of);
  return obstacle.empty() ? ""
                          : "its pods are not told where to report, because "
                                + obstacle + " already; remove that, or this";
}

void forbid_without_limit(const checked_object& fields, const char* field,
                          const char* what) {
  if (fields.has(field) && !fields.has("stalledAfter"))
    fields.add_error(field, std::string{"Forbidden: "} + what
                                + " stalledAfter, which is absent; set that, "
                                  "or remove this");
}

stall_action read_action(const checked_object& fields) {
  auto word = fields.word("onStalled", {"Report", "RestartJob", "FailJob"});
  for (auto action : {stall_action::restart_job, stall_action::fail_job})
    if (word && *word == to_string(action))
      return action;
  return stall_action::report;
}

} // namespace

progress_policy read_progress_policy(const json& value, const job& of,
                                     const field_path& at,
                                     field_errors& errors) {
  checked_object fields{value,
                        at,
                        errors,
                        {"report", "stalledAfter", "startWithin", "onStalled"}};
  progress_policy out;
  out.report = fields.boolean("report").value_or(false);
  out.stalled_after =
      fields.duration("stalledAfter", seconds{1}, longest_policy_period);
  out.start_within =
      fields.duration("startWithin", seconds{1}, longest_policy_period);
  out.on_stalled = read_action(fields);
  forbid_without_limit(fields, "startWithin", "is the first time of");
  forbid_without_limit(fields, "onStalled", "says what follows after");
  if (out.stalled_after)
    if (auto why = why_always_silent(out, of); !why.empty()) {
      fields.add_error("stalledAfter", "Forbidden: " + why);
      out.stalled_after.reset();
    }
  if (!out.stalled_after) {
    out.start_within.reset();
    out.on_stalled = stall_action::report;
  }
  return out;
}

} // namespace troupe::core
