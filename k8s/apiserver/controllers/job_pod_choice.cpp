#include "k8s/apiserver/controllers/job_pod_choice.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::k8s::apiserver {

namespace {

void take_useless_indexes(const job_spec& spec,
                          const std::set<int>& done_indexes,
                          std::vector<const job_pod*>& active,
                          std::vector<const job_pod*>& out) {
  std::set<int> seen;
  auto kept = active.begin();
  for (const auto* pod : active) {
    bool is_needed = pod->index >= 0 && pod->index < *spec.completions
                     && done_indexes.count(pod->index) == 0
                     && seen.insert(pod->index).second;
    if (is_needed)
      *kept++ = pod;
    else
      out.push_back(pod);
  }
  active.erase(kept, active.end());
}

} // namespace

std::vector<const job_pod*>
take_superfluous_pods(const job_spec& spec, const std::set<int>& done_indexes,
                      std::int64_t wanted,
                      std::vector<const job_pod*>& active) {
  std::vector<const job_pod*> out;
  if (spec.is_indexed)
    take_useless_indexes(spec, done_indexes, active, out);
  auto excess = static_cast<std::ptrdiff_t>(active.size()) - wanted;
  if (excess <= 0)
    return out;
  auto rank = [](const job_pod* pod) {
    return std::tuple{pod->is == job_pod::phase::running, pod->is_ready,
                      -pod->created.time_since_epoch().count()};
  };
  std::stable_sort(
      active.begin(), active.end(),
      [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  out.insert(out.end(), active.begin(), active.begin() + excess);
  active.erase(active.begin(), active.begin() + excess);
  return out;
}

std::vector<int> choose_new_indexes(const job_spec& spec,
                                    const std::vector<job_pod>& pods,
                                    const std::set<int>& done_indexes,
                                    std::int64_t count) {
  if (!spec.is_indexed)
    return std::vector<int>(static_cast<std::size_t>(count), -1);
  auto taken = done_indexes;
  for (const auto& pod : pods)
    if (pod.is_active()
        || (spec.replaces_ended_pods_only && pod.is_on_its_way_out()))
      taken.insert(pod.index);
  std::vector<int> out;
  for (int i = 0; i < *spec.completions && count > 0; ++i)
    if (taken.count(i) == 0) {
      out.push_back(i);
      --count;
    }
  return out;
}

} // namespace troupe::k8s::apiserver
