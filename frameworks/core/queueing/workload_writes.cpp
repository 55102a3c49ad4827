#include "frameworks/core/queueing/workload_writes.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/queueing/workload_content.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

constexpr std::string_view requeued_at_once[] = {"Preempted", "NodeFailures"};

json* find_condition(json& status, const char* type) {
  for (auto& c : ensure_array(status, "conditions"))
    if (text_at(c, {"type"}) == type)
      return &c;
  return nullptr;
}

void set_condition(json& object, const char* type, bool is_true,
                   const std::string& reason, const std::string& message,
                   k8s::time_point now) {
  auto& status = ensure_object(object, "status");
  const char* text = is_true ? "True" : "False";
  auto* condition = find_condition(status, type);
  if (!condition) {
    status["conditions"].push_back(
        {{"type", type},
         {"status", text},
         {"lastTransitionTime", k8s::to_rfc3339(now)}});
    condition = &status["conditions"].back();
  }
  if (text_at(*condition, {"status"}) != text)
    (*condition)["lastTransitionTime"] = k8s::to_rfc3339(now);
  (*condition)["status"] = text;
  (*condition)["reason"] = reason;
  (*condition)["message"] = message;
  if (auto generation = int64_at(object, {"metadata", "generation"}))
    (*condition)["observedGeneration"] = *generation;
}

json to_json(const std::vector<pod_set_count>& counts) {
  auto result = json::array();
  for (const auto& one : counts)
    result.push_back({{"name", one.name}, {"count", one.count}});
  return result;
}

} // namespace

json released_workload(json object, k8s::time_point now) {
  auto& status = ensure_object(object, "status");
  const auto* evicted = find_condition(status, "Evicted");
  const auto reason = evicted ? text_at(*evicted, {"reason"}) : std::string{};
  const auto message = evicted ? text_at(*evicted, {"message"}) : std::string{};
  if (const auto* admitted = find_condition(status, "Admitted");
      admitted && text_at(*admitted, {"status"}) == "True")
    if (auto since =
            k8s::from_rfc3339(text_at(*admitted, {"lastTransitionTime"}))) {
      auto ran = std::chrono::duration_cast<std::chrono::seconds>(now - *since);
      status["accumulatedPastExecutionTimeSeconds"] =
          int64_at(status, {"accumulatedPastExecutionTimeSeconds"}).value_or(0)
          + std::max<std::int64_t>(ran.count(), 0);
    }
  status.erase("admission");
  status.erase("reclaimablePods");
  bool again = std::find(std::begin(requeued_at_once),
                         std::end(requeued_at_once), reason)
               != std::end(requeued_at_once);
  set_condition(object, "Requeued", again, reason, message, now);
  set_condition(object, "QuotaReserved", false, "Pending", message, now);
  set_condition(object, "Admitted", false, "NoReservation",
                "The workload has no reservation", now);
  auto pods = ready_condition_of({false, "WaitForStart", {}});
  set_condition(object, "PodsReady", false, pods.reason, pods.message, now);
  return object;
}

json finished_workload(json object, const std::string& reason,
                       const std::string& message, k8s::time_point now) {
  set_condition(object, "Finished", true, reason, message, now);
  return object;
}

workload_condition ready_condition_of(const pods_report& report) {
  if (report.ready)
    return {true,
            report.ready_reason,
            "All pods reached readiness and the workload is running",
            {}};
  return {false,
          report.ready_reason,
          report.ready_reason == "WaitForRecovery"
              ? "At least one pod has failed, waiting for recovery"
              : "Not all pods are ready or succeeded",
          {}};
}

json reported_workload(json object, const pods_report& report,
                       k8s::time_point now) {
  auto pods = ready_condition_of(report);
  set_condition(object, "PodsReady", pods.is_true, pods.reason, pods.message,
                now);
  if (!report.returned.empty())
    object["status"]["reclaimablePods"] = to_json(report.returned);
  return object;
}

json unguarded_workload(json object) {
  auto& metadata = ensure_object(object, "metadata");
  auto& all = ensure_array(metadata, "finalizers");
  all.erase(std::remove(all.begin(), all.end(), label::workload_finalizer),
            all.end());
  return object;
}

json labelled_workload(json object) {
  ensure_object(ensure_object(object, "metadata"),
                "labels")[label::workload_owner] = label::workload_owner_value;
  return object;
}

json next_slice(json object, const std::string& name,
                const std::vector<pod_set_count>& counts) {
  const auto& before = object["metadata"];
  auto first = text_at(before, {"annotations", label::kueue_slice_of},
                       text_at(before, {"name"}));
  json metadata{
      {"name", name},
      {"namespace", text_at(before, {"namespace"})},
      {"labels", value_at(before, {"labels"})},
      {"annotations",
       {{label::kueue_elastic, "true"},
        {label::kueue_slice_of, first},
        {label::kueue_slice_replaces,
         text_at(before, {"namespace"}) + "/" + text_at(before, {"name"})}}},
      {"finalizers", {label::workload_finalizer}},
      {"ownerReferences", array_at(before, {"ownerReferences"})}};
  // Its pods request the same; its size is another.
  if (const auto& requests =
          text_at(before, {"annotations", label::workload_requests});
      !requests.empty())
    metadata["annotations"][label::workload_requests] = requests;
  for (const auto& [key, value] : value_at(before, {"annotations"}).items())
    if (is_copied_annotation(key))
      metadata["annotations"][key] = value;
  object["metadata"] = std::move(metadata);
  object.erase("status");
  return resized_workload(std::move(object), counts);
}

json resized_workload(json object, const std::vector<pod_set_count>& counts) {
  for (auto& set : ensure_array(ensure_object(object, "spec"), "podSets"))
    for (const auto& one : counts)
      if (text_at(set, {"name"}) == one.name)
        set["count"] = one.count;
  return object;
}

json shrunk_workload(json object, const std::vector<pod_set_count>& counts) {
  for (auto& set : ensure_array(ensure_object(object, "spec"), "podSets"))
    for (const auto& one : counts)
      if (text_at(set, {"name"}) == one.name
          && one.count < int32_at(set, {"count"}).value_or(0))
        set["count"] = one.count;
  return object;
}

} // namespace troupe::core
