#include "frameworks/core/workload/workload_state.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/workload/kueue_labels.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::core {

namespace {

/// Messages may have 32 KiB, and are kept for each job.
constexpr std::size_t most_message_bytes = 1024;

std::string message_at(const json& object) {
  return k8s::shorten_text(text_at(object, {"message"}), most_message_bytes);
}

workload_condition read_workload_condition(const json& c) {
  return {text_at(c, {"status"}) == "True", text_at(c, {"reason"}),
          message_at(c),
          k8s::from_rfc3339(text_at(c, {"lastTransitionTime"}))
              .value_or(k8s::time_point{})};
}

std::vector<pod_set_count> read_counts(const json& list) {
  std::vector<pod_set_count> result;
  for (const auto& one : list)
    result.push_back({text_at(one, {"name"}),
                      int32_at(one, {"count"}).value_or(1),
                      int32_at(one, {"minCount"})});
  return result;
}

void read_workload_conditions(workload_state& out, const json& status) {
  for (const auto& c : array_at(status, {"conditions"})) {
    const auto& type = text_at(c, {"type"});
    if (type == "QuotaReserved")
      out.quota_reserved = read_workload_condition(c);
    else if (type == "Admitted")
      out.admitted = read_workload_condition(c);
    else if (type == "Evicted")
      out.evicted = read_workload_condition(c);
    else if (type == "Requeued")
      out.requeued = read_workload_condition(c);
    else if (type == "PodsReady")
      out.pods_ready = read_workload_condition(c);
    else if (type == "Finished")
      out.finished = read_workload_condition(c);
  }
}

} // namespace

workload_state read_workload_state(const k8s::full_state& object) {
  workload_state result;
  const auto body = parse_json_or_null(object.text);
  const auto metadata = parse_json_or_null(object.metadata);
  const auto& spec = value_at(body, {"spec"});
  const auto& status = value_at(body, {"status"});
  if (const auto& active = value_at(spec, {"active"}); active.is_boolean())
    result.active = active.get<bool>();
  result.queue = text_at(spec, {"queueName"});
  if (text_at(spec, {"priorityClassRef", "kind"}) == "WorkloadPriorityClass")
    result.own_class = text_at(spec, {"priorityClassRef", "name"});
  result.asked = read_counts(array_at(spec, {"podSets"}));
  for (const auto& set : array_at(spec, {"podSets"}))
    result.has_admitted_templates |=
        value_at(set, {"template", "metadata", "labels", label::kueue_pod_set})
            .is_string();
  read_workload_conditions(result, status);
  const auto& admission = value_at(status, {"admission"});
  result.cluster_queue = text_at(admission, {"clusterQueue"});
  result.granted = read_counts(array_at(admission, {"podSetAssignments"}));
  result.returned = read_counts(array_at(status, {"reclaimablePods"}));
  for (const auto& check : array_at(status, {"admissionChecks"}))
    if (text_at(check, {"state"}) != "Ready" && result.check_message.empty())
      result.check_message =
          text_at(check, {"name"}) + ": " + message_at(check);
  const auto& finalizers = array_at(metadata, {"finalizers"});
  result.keeps_quota =
      std::find(finalizers.begin(), finalizers.end(), label::workload_finalizer)
      != finalizers.end();
  result.content_hash =
      text_at(metadata, {"annotations", label::workload_content});
  result.requests_hash =
      text_at(metadata, {"annotations", label::workload_requests});
  return result;
}

bool operator==(const workload_state& a, const workload_state& b) {
  auto all = [](const workload_state& w) {
    return std::tie(w.quota_reserved, w.admitted, w.evicted, w.requeued,
                    w.pods_ready, w.finished, w.active, w.keeps_quota,
                    w.has_admitted_templates, w.queue, w.cluster_queue,
                    w.own_class, w.asked, w.granted, w.returned, w.content_hash,
                    w.requests_hash, w.check_message);
  };
  return all(a) == all(b);
}

} // namespace troupe::core
