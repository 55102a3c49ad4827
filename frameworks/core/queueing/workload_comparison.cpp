#include "frameworks/core/queueing/workload_comparison.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/queueing/workload_content.hpp"
#include "frameworks/core/queueing/workload_writes.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

const pod_set_count* find_count(const std::vector<pod_set_count>& counts,
                                const std::string& name) {
  for (const auto& one : counts)
    if (one.name == name)
      return &one;
  return nullptr;
}

/// Whether the type's template has what an admission writes into it.
bool template_carries_admission(const replica_spec& r) {
  return r.pod_template.find(label::kueue_pod_set) != std::string::npos
         && has_pod_set_label(parse_json_or_null(r.pod_template));
}

} // namespace

std::int32_t count_of(const std::vector<pod_set_count>& counts,
                      const std::string& name, std::int32_t otherwise) {
  for (const auto& one : counts)
    if (one.name == name)
      return one.count;
  return otherwise;
}

namespace {

/// Kueue charges a pod set for its count less what was given back of it.
std::int32_t least_to_ask_for(const replica_spec& r, const workload_state& w,
                              const std::vector<pod_set_count>& done) {
  auto needed = r.replicas - count_of(done, r.label, 0);
  return std::max(r.replicas, needed + count_of(w.returned, r.label, 0));
}

/// Less than what was asked for if the admission was partial.
std::int32_t granted_count(const pod_set_count& asked,
                           const workload_state& w) {
  return asked.least ? count_of(w.granted, asked.name, asked.count)
                     : asked.count;
}

} // namespace

job_size compare_size(const job& j, const workload_state& w,
                      const std::vector<pod_set_count>& done) {
  bool shrinks = false;
  bool grows = false;
  if (j.replicas.size() != w.asked.size())
    return job_size::other;
  for (const auto& r : j.replicas) {
    const auto* asked = find_count(w.asked, r.label);
    if (!asked)
      return job_size::other;
    auto granted = granted_count(*asked, w);
    if (r.replicas == granted)
      continue;
    if (asked->least)
      return job_size::other;
    if (r.replicas > granted)
      grows = true;
    else if (least_to_ask_for(r, w, done) < granted)
      shrinks = true;
  }
  if (grows)
    return shrinks ? job_size::other : job_size::larger;
  return shrinks ? job_size::smaller : job_size::as_granted;
}

bool needs_what_was_returned(const job& j, const workload_state& w,
                             const std::vector<pod_set_count>& done) {
  return std::any_of(j.replicas.begin(), j.replicas.end(), [&](const auto& r) {
    const auto* asked = find_count(w.asked, r.label);
    auto returned = count_of(w.returned, r.label, 0);
    if (!asked || returned == 0)
      return false;
    auto granted = granted_count(*asked, w);
    auto charged = std::min(granted, asked->count - returned);
    return std::min(r.replicas, granted) - count_of(done, r.label, 0) > charged;
  });
}

bool asks_for_other_size(const job& j, const workload_state& w) {
  return j.replicas.size() != w.asked.size()
         || std::any_of(j.replicas.begin(), j.replicas.end(),
                        [&](const auto& r) {
                          return count_of(w.asked, r.label, -1) != r.replicas;
                        });
}

bool asks_for_other_content(const job& j, const workload_state& w) {
  if (w.content_hash.empty())
    return w.queue != j.queue || asks_for_other_size(j, w);
  return w.content_hash != hash_of_asked_content(j);
}

bool requests_other_resources(const job& j, const workload_state& w) {
  return !w.requests_hash.empty() && w.requests_hash != hash_of_requests(j);
}

bool names_other_class(const job& j, const workload_state& w) {
  if (w.own_class.empty()
      || j.queue_settings.find(label::kueue_priority) == std::string::npos)
    return false;
  auto named = text_at(parse_json_or_null(j.queue_settings),
                       {"labels", label::kueue_priority});
  return !named.empty() && named != w.own_class;
}

bool is_report_due(const workload_state& w, const pods_report& pods) {
  auto wanted = ready_condition_of(pods);
  return !w.pods_ready || w.pods_ready->is_true != wanted.is_true
         || w.pods_ready->reason != wanted.reason
         || (!pods.returned.empty() && pods.returned != w.returned);
}

std::vector<pod_set_count> counts_of(const job& j) {
  std::vector<pod_set_count> result;
  for (const auto& r : j.replicas)
    result.push_back({r.label, r.replicas, {}});
  return result;
}

std::vector<pod_set_count>
counts_to_shrink_to(const job& j, const workload_state& w,
                    const std::vector<pod_set_count>& done) {
  std::vector<pod_set_count> result;
  for (const auto& r : j.replicas)
    result.push_back({r.label, least_to_ask_for(r, w, done), {}});
  return result;
}

bool carries_admission(const job& j) {
  return std::any_of(j.replicas.begin(), j.replicas.end(), [](const auto& r) {
    return template_carries_admission(r);
  });
}

bool lacks_admission(const job& j, const workload_state& w) {
  return std::any_of(j.replicas.begin(), j.replicas.end(), [&](const auto& r) {
    return find_count(w.granted, r.label) && !template_carries_admission(r);
  });
}

bool has_admission_to_take_out(const job& j, const workload_state& w) {
  return !w.has_admitted_templates
         && std::any_of(j.replicas.begin(), j.replicas.end(),
                        [&](const auto& r) {
                          return find_count(w.asked, r.label)
                                 && template_carries_admission(r);
                        });
}

} // namespace troupe::core
