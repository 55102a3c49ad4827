#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/kept_parts.hpp"
#include "frameworks/core/model/recovery_json.hpp"
#include "frameworks/core/model/status_format.hpp"
#include "frameworks/core/model/status_parts.hpp"
#include "k8s/json_outline.hpp"
#include "k8s/json_parts.hpp"

namespace troupe::core {

namespace {

json to_status_json(const condition& c) {
  return {{"type", c.type},
          {"status", c.status ? "True" : "False"},
          {"reason", c.reason},
          {"message", c.message},
          {"lastUpdateTime", k8s::to_rfc3339(c.updated)},
          {"lastTransitionTime", k8s::to_rfc3339(c.last_transition_time)}};
}

json to_status_json(const restart_record& r) {
  return {{"pod", r.pod}, {"uid", r.uid}, {"count", r.count}};
}

condition read_condition(const json& j) {
  condition c;
  c.type = text_at(j, {"type"});
  c.status = text_at(j, {"status"}) == "True";
  c.reason = text_at(j, {"reason"});
  c.message = text_at(j, {"message"});
  c.updated = read_time(value_at(j, {"lastUpdateTime"})).value_or(time_point{});
  c.last_transition_time =
      read_time(value_at(j, {"lastTransitionTime"})).value_or(time_point{});
  return c;
}

replica_status read_replica_status(const json& j) {
  replica_status r;
  r.active = int32_at(j, {"active"}).value_or(0);
  r.succeeded = int32_at(j, {"succeeded"}).value_or(0);
  r.failed = int32_at(j, {"failed"}).value_or(0);
  r.selector = text_at(j, {"selector"});
  return r;
}

restart_record read_restart_record(const json& j) {
  return {text_at(j, {"pod"}), text_at(j, {"uid"}),
          int32_at(j, {"count"}).value_or(1)};
}

/// Of a status that somebody else wrote, the fields that may be read.
std::string drop_fields_beyond_value_limit(std::string_view status) {
  auto left = max_status_values;
  std::string out = "{";
  k8s::for_each_json_member(
      status, [&](std::string_view key, std::string_view value) {
        auto count = k8s::estimate_json_value_count(value);
        if (count > left)
          return;
        left -= count;
        out += out.size() > 1 ? ",\"" : "\"";
        out.append(key).append("\":").append(value);
      });
  return out + "}";
}

} // namespace

std::optional<time_point> read_time(const json& j) {
  return j.is_string() ? k8s::from_rfc3339(j.get_ref<const std::string&>())
                       : std::nullopt;
}

json conditions_json(const std::vector<condition>& all) {
  auto list = json::array();
  for (const auto& c : all)
    list.push_back(to_status_json(c));
  return list;
}

json restarts_json(const std::vector<restart_record>& all) {
  auto list = json::array();
  for (const auto& r : all)
    list.push_back(to_status_json(r));
  return list;
}

std::vector<restart_record> read_restarts_up_to_limit(const json& list) {
  std::vector<restart_record> result;
  for (const auto& r : list)
    if (result.size() < max_restart_records)
      result.push_back(read_restart_record(r));
  return result;
}

std::vector<condition> read_conditions_up_to_limit(const json& list) {
  std::vector<condition> result;
  for (const auto& c : list)
    if (result.size() < max_conditions)
      result.push_back(read_condition(c));
  return result;
}

json replica_status_json_without_zeros(const replica_status& r) {
  auto out = json::object();
  if (r.active != 0)
    out["active"] = r.active;
  if (r.succeeded != 0)
    out["succeeded"] = r.succeeded;
  if (r.failed != 0)
    out["failed"] = r.failed;
  if (!r.selector.empty())
    out["selector"] = r.selector;
  return out;
}

std::map<std::string, replica_status>
read_replica_statuses_up_to_limit(const json& map) {
  std::map<std::string, replica_status> result;
  if (map.is_object())
    for (const auto& [type, r] : map.items())
      if (result.size() < max_status_types)
        result.emplace(type, read_replica_status(r));
  return result;
}

std::string encode_status(const job_status& s) {
  auto out = json::object();
  if (!s.conditions.empty())
    out["conditions"] = conditions_json(s.conditions);
  for (const auto& [type, r] : s.replicas)
    out["replicaStatuses"][type] = replica_status_json_without_zeros(r);
  if (s.start_time)
    out["startTime"] = k8s::to_rfc3339(*s.start_time);
  if (s.completion_time)
    out["completionTime"] = k8s::to_rfc3339(*s.completion_time);
  if (s.gang_wait_since)
    out["lastReconcileTime"] = k8s::to_rfc3339(*s.gang_wait_since);
  if (!s.restarts.empty())
    out["restarts"] = restarts_json(s.restarts);
  if (auto progress = to_progress_json(*s.progress); !progress.is_null())
    out["progress"] = std::move(progress);
  add_attempts_json(out, *s.recovery);
  if (!s.is_finished())
    add_completed_json(out, *s.recovery);
  return to_text(out);
}

job_status decode_status(std::string_view text) {
  job_status s;
  auto j = parse_json_or_null(text);
  s.conditions = read_conditions_up_to_limit(array_at(j, {"conditions"}));
  s.replicas =
      read_replica_statuses_up_to_limit(value_at(j, {"replicaStatuses"}));
  s.start_time = read_time(value_at(j, {"startTime"}));
  s.completion_time = read_time(value_at(j, {"completionTime"}));
  s.gang_wait_since = read_time(value_at(j, {"lastReconcileTime"}));
  s.restarts = read_restarts_up_to_limit(array_at(j, {"restarts"}));
  if (auto recovery = read_recovery_json(j); recovery != recovery_status{})
    s.recovery = std::move(recovery);
  if (auto progress = read_progress_json(value_at(j, {"progress"}));
      progress != progress_status{})
    s.progress = std::move(progress);
  return s;
}

job_status decode_job_status(const k8s::object& job,
                             const status_format& format) {
  const auto* raw = std::get_if<k8s::spec_and_status_state>(&job.state);
  std::string_view text = raw ? raw->status : std::string_view{};
  auto s = k8s::estimate_json_value_count(text) > max_status_values
               ? format.decode(drop_fields_beyond_value_limit(text))
               : format.decode(text);
  merge_kept_parts(s, job.meta.annotations);
  return s;
}

} // namespace troupe::core
