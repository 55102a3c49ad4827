#include "frameworks/core/observed/classify.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/observed/observed.hpp"
#include "frameworks/core/spec/limits.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::core {

namespace {

/// The progress of a pod; of several pods, the one with the most progress is
/// kept.
int pod_progress_rank(k8s::pod_phase p) {
  switch (p) {
  case k8s::pod_phase::succeeded:
    return 4;
  case k8s::pod_phase::running:
    return 3;
  case k8s::pod_phase::unknown:
    return 2;
  case k8s::pod_phase::pending:
    return 1;
  case k8s::pod_phase::failed:
    return 0;
  }
  return 0;
}

/// Whether `a` rather than `b` is kept when both are of the same slot.
bool is_preferred_for_slot(const job& j, const child_view& a,
                           const child_view& b) {
  auto rank = [&](const child_view& v) {
    return std::make_tuple(!v.terminating, pod_progress_rank(v.phase),
                           v.name == child_name(j, v.at));
  };
  auto ra = rank(a);
  auto rb = rank(b);
  return ra != rb ? ra > rb : a.uid < b.uid;
}

struct classifier {
  const job& j;
  const observed_children& seen;
  const recovery_status& attempts;
  classified_children& out;

  slot_state* find_slot(const slot& at) {
    for (auto& t : out.types)
      if (t.spec->label == at.type) {
        auto i = static_cast<std::size_t>(at.index);
        return i < t.slots.size() ? &t.slots[i] : nullptr;
      }
    return nullptr;
  }

  /// A pod of a type that the job no longer has belongs to the latest.
  bool is_of_older_attempt(const child_view& pod) const {
    if (attempts.attempt == 0)
      return false;
    const auto* type = j.find_replica_spec(pod.at.type);
    return pod.attempt
           < (type ? attempts.attempt_of(type->type) : attempts.attempt);
  }

  /// Whether the job has this replica, even if a pass does not look at it.
  bool is_wanted(const slot& at) const {
    const auto* type = j.find_replica_spec(at.type);
    return type && at.index < type->replicas;
  }

  void classify_child(child_kind kind, const child_view& v) {
    if (!(v.made_by_job == uid_key{}))
      return classify_launcher_pod(v);
    if (!v.owned) {
      record_orphan_if_adoptable(kind, v);
    } else if (!v.labels_match_job) {
      out.mislabelled.push_back({kind, &v});
    } else if (kind == child_kind::pod && is_of_older_attempt(v)) {
      out.of_older_attempts.push_back(&v);
    } else if (v.at.index < 0) {
      out.unplaced.push_back({kind, &v});
    } else if (auto* p = find_slot(v.at)) {
      keep_preferred_child(kind, kind == child_kind::pod ? p->pod : p->service,
                           v);
    } else if (!is_wanted(v.at)) {
      out.out_of_range.push_back({kind, &v});
    }
  }

  /// It is its Job's, unless the job restarts more than single pods.
  void classify_launcher_pod(const child_view& v) {
    if (attempts.attempt == 0
        && !j.failure_policy_or_default().may_restart_beyond_pod())
      return;
    if (is_of_older_attempt(v))
      out.of_older_attempts.push_back(&v);
    else if (auto* p = find_slot(v.at); p && is_launcher_pod(v, seen))
      keep_preferred_child(child_kind::pod, p->pod, v);
  }

  void keep_preferred_child(child_kind kind, const child_view*& chosen,
                            const child_view& v) {
    // One name is one object: the older one is gone, and its watch is late.
    if (chosen && chosen->name == v.name && chosen->version != v.version) {
      if (v.version > chosen->version)
        chosen = &v;
      return;
    }
    if (chosen && !is_preferred_for_slot(j, v, *chosen)) {
      out.duplicates.push_back({kind, &v});
      return;
    }
    if (chosen)
      out.duplicates.push_back({kind, chosen});
    chosen = &v;
  }

  /// Other tools find replicas by name, so only the right name will do.
  void record_orphan_if_adoptable(child_kind kind, const child_view& v) {
    if (!v.labels_match_job || v.at.index < 0 || v.name != child_name(j, v.at))
      return;
    if (auto* p = find_slot(v.at))
      (kind == child_kind::pod ? p->orphan_pod : p->orphan_service) = &v;
  }
};

void sort_by_slot_and_kind(std::vector<misplaced_child>& children) {
  std::stable_sort(children.begin(), children.end(),
                   [](const misplaced_child& a, const misplaced_child& b) {
                     return std::tie(a.view->at, a.kind, a.view->uid)
                            < std::tie(b.view->at, b.kind, b.view->uid);
                   });
}

} // namespace

classified_children classify_children(const job& j,
                                      const observed_children& seen,
                                      const recovery_status& attempts) {
  classified_children out;
  const auto most = most_replicas_of_type_in_pass(j);
  for (const auto& spec : j.replicas) {
    if (out.types.size() == most_types_in_pass)
      break;
    replica_type_view t;
    t.spec = &spec;
    t.rule = j.kind->find_rule_by_label(spec.label);
    if (!t.rule)
      t.rule = j.kind->accepted.unknown_types;
    t.slots.resize(
        static_cast<std::size_t>(std::clamp(spec.replicas, 0, most)));
    for (std::size_t i = 0; i < t.slots.size(); ++i) {
      t.slots[i].at = {spec.label, static_cast<std::int32_t>(i)};
      if (j.failure_policy_or_default().scope == restart_scope::pod)
        t.slots[i].early_failures =
            seen.gone().early_failure_count(t.slots[i].at);
    }
    out.types.push_back(std::move(t));
  }
  classifier s{j, seen, attempts, out};
  for (const auto& v : seen.pods())
    s.classify_child(child_kind::pod, v);
  for (const auto& v : seen.services())
    s.classify_child(child_kind::service, v);
  for (auto* children :
       {&out.duplicates, &out.out_of_range, &out.unplaced, &out.mislabelled})
    sort_by_slot_and_kind(*children);
  std::stable_sort(out.of_older_attempts.begin(), out.of_older_attempts.end(),
                   [](const child_view* a, const child_view* b) {
                     return std::tie(a->at, a->uid) < std::tie(b->at, b->uid);
                   });
  return out;
}

} // namespace troupe::core
