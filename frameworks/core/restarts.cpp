#include "frameworks/core/restarts.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

bool has_entry(const std::vector<restart_record>& records,
               const std::string& uid) {
  return std::any_of(records.begin(), records.end(),
                     [&](const auto& r) { return r.uid == uid; });
}

std::int64_t sum(const std::vector<restart_record>& records) {
  std::int64_t result = 0;
  for (const auto& r : records)
    result += r.count;
  return result;
}

/// Restarts in place, of pods that still run.
std::int64_t live_restarts(const pass& p) {
  std::int64_t result = 0;
  for (const auto& type : p.around.types) {
    if (type.spec->restart == restart_policy::never)
      continue;
    for (const auto& place : type.places)
      if (place.pod && place.pod->phase == k8s::pod_phase::running
          && !has_entry(p.status().restarts, place.pod->uid))
        result += place.pod->restarts;
  }
  return result;
}

/// Whether news of this pod may still come, so that its entry must keep it
/// apart from others.
bool still_known(const observed& seen, const std::string& uid) {
  if (seen.pods().count(uid) > 0)
    return true;
  const auto& gone = seen.vanished();
  return std::any_of(gone.begin(), gone.end(),
                     [&](const auto& v) { return v.uid == uid; });
}

void enter(std::vector<restart_record>& records, const observed& seen,
           const child_view& pod, std::int32_t times) {
  if (has_entry(records, pod.uid))
    return;
  auto older = std::find_if(records.begin(), records.end(), [&](auto& r) {
    return r.pod == pod.name && !still_known(seen, r.uid);
  });
  if (older == records.end())
    records.push_back({pod.name, pod.uid, times});
  else
    *older = {pod.name, pod.uid, older->count + times};
}

} // namespace

verdict_on_failure judge(const framework& f, restart_policy policy,
                         const child_view& failed) {
  if (failed.terminating)
    return verdict_on_failure::leaves;
  switch (policy) {
  case restart_policy::on_failure:
  case restart_policy::always:
    return f.replaces_failed ? verdict_on_failure::replaced
                             : verdict_on_failure::stays;
  case restart_policy::exit_code:
    // An evicted pod has no exit code, and deserves another try.
    return failed.exit_code.value_or(first_retryable_code)
                   >= first_retryable_code
               ? verdict_on_failure::replaced
               : verdict_on_failure::permanent;
  case restart_policy::never:
  case restart_policy::other:
    return verdict_on_failure::stays;
  }
  return verdict_on_failure::stays;
}

std::vector<const child_view*> to_be_replaced(const pass& p) {
  std::vector<const child_view*> result;
  for (const auto& type : p.around.types)
    for (const auto& place : type.places)
      if (place.pod && place.pod->phase == k8s::pod_phase::failed
          && judge(*p.j.kind, type.spec->restart, *place.pod)
                 == verdict_on_failure::replaced)
        result.push_back(place.pod);
  return result;
}

bool on_record(const job& j, const job_status& s, const std::string& uid) {
  return !j.policy.backoff_limit || has_entry(s.restarts, uid);
}

void record_restarts(pass& p, const observed& seen) {
  if (!p.j.policy.backoff_limit)
    return;
  for (const auto& gone : seen.vanished())
    enter(p.status().restarts, seen, gone, gone.restarts);
  for (const auto* pod : to_be_replaced(p))
    enter(p.status().restarts, seen, *pod, pod->restarts + 1);
}

void replace_failed(pass& p) {
  for (const auto* pod : to_be_replaced(p))
    if (on_record(p.j, p.saved, pod->uid))
      p.remove(child::pod, *pod, "it failed and is to be replaced");
}

bool past_backoff_limit(const pass& p, const observed& seen) {
  if (!p.j.policy.backoff_limit)
    return false;
  const std::int64_t limit = std::max(*p.j.policy.backoff_limit, 0);
  const auto& records = p.status().restarts;
  auto live = live_restarts(p);
  auto made = live + sum(records);
  for (const auto& gone : seen.vanished())
    if (!has_entry(records, gone.uid))
      made += gone.restarts;
  if (limit == 0 && made > 0)
    return true;
  if (limit > 0 && live > 0 && made >= limit)
    return true;
  for (const auto* pod : to_be_replaced(p)) {
    if (has_entry(records, pod->uid))
      continue; // Granted before.
    if (made >= limit)
      return true;
    made += pod->restarts + 1;
  }
  return false;
}

} // namespace troupe::core
