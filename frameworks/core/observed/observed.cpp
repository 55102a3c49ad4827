#include "frameworks/core/observed/observed.hpp"

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/observed/applied_content.hpp"
#include "frameworks/core/observed/child_reading.hpp"
#include "frameworks/core/observed/ownership.hpp"

#include <algorithm>
#include <utility>

namespace troupe::core {

namespace {

/// Notes that it was there, whatever its state. True if only responses to our
/// own calls have shown it until now.
bool note_existence_and_check_first(child_view& known,
                                    std::uint64_t list_number,
                                    std::uint64_t existed_at_version,
                                    bool is_confirmation) {
  known.list_number = std::max(known.list_number, list_number);
  known.unselected &= list_number == 0;
  known.existed_at_version =
      std::max(known.existed_at_version, existed_at_version);
  bool is_first = is_confirmation && !known.confirmed;
  known.confirmed |= is_confirmation;
  return is_first;
}

} // namespace

observed_children::children_of_one_kind&
observed_children::find_or_add_kind(child_kind kind) {
  for (auto& one : kinds_)
    if (one.kind == kind)
      return one;
  return kinds_.emplace_back(children_of_one_kind{kind, {}, 0});
}

const observed_children::children_of_one_kind*
observed_children::find_kind(child_kind kind) const {
  for (const auto& one : kinds_)
    if (one.kind == kind)
      return &one;
  return nullptr;
}

bool observed_children::has_ever_had(child_kind kind) const {
  const auto* one = find_kind(kind);
  return one && one->ever_owned;
}

void observed_children::note_looked_up_in_vain(child_kind kind) {
  find_or_add_kind(kind).looked_up_in_vain = true;
}

bool observed_children::was_looked_up_in_vain(child_kind kind) const {
  const auto* one = find_kind(kind);
  return one && one->looked_up_in_vain;
}

child_view* observed_children::find_child(child_kind kind, const uid_key& uid) {
  const auto& known = children_of_kind(kind);
  auto i = known.find(uid);
  // A set has constants only because of their order, which is the UID's.
  return i == known.end() ? nullptr : const_cast<child_view*>(&*i);
}

child_change observed_children::record_seen(
    child_kind kind, const k8s::object& o, const child_claims& stated,
    const job& of, std::uint64_t list_number, std::uint64_t existed_at_version,
    bool found_by_name) {
  auto& all = find_or_add_kind(kind);
  auto* before = find_child(kind, o.meta.uid);
  bool confirms = list_number > 0 || existed_at_version > 0;
  existed_at_version = std::max(existed_at_version, o.meta.resource_version);
  child_change result;
  if (before)
    // An object that references it may have waited for this.
    result.changed = note_existence_and_check_first(
                         *before, list_number, existed_at_version, confirms)
                     && !is_replica_child(kind);
  if (before && !brings_news(*before, o))
    return result;
  // A late response to our own call: a complete list since then does not
  // contain the object.
  bool is_shown_by_lists = is_selected_by_watch(kind, o.meta) && !found_by_name;
  if (!before && list_number == 0 && is_shown_by_lists
      && existed_at_version <= all.latest_list_version)
    return result;
  // An owner of one name and another version has other labels.
  const auto& claims =
      stated.kind == of.kind ? stated : claims_on_kind(o.meta, *of.kind);
  auto whose = ownership_of(kind, o.meta, claims, of);
  if (whose == ownership::foreign) {
    result.changed = before != nullptr;
    if (before)
      all.known.erase(*before);
    return result;
  }
  auto after = make_child_view(kind, o, claims, whose == ownership::owned, of);
  after.list_number = list_number;
  after.existed_at_version = existed_at_version;
  after.confirmed = confirms;
  after.unselected =
      list_number == 0 && (after.unselected || (!before && found_by_name));
  if (before)
    keep_history(kind, after, *before);
  if (kind == child_kind::pod)
    after.early_failures = std::max(
        after.early_failures_saved,
        before ? before->early_failures : gone_.early_failure_count(after.at));
  if (whose == ownership::owned)
    all.ever_owned = true;
  if (whose == ownership::owned && kind == child_kind::launcher_job)
    launchers_.note_owned(after.uid);
  if (whose == ownership::owned && kind == child_kind::workload)
    all.looked_up_in_vain = false;
  // What labels alone make the job's costs no pass, before its Job is seen.
  bool decides = whose != ownership::made_by_job
                 || is_launcher_pod(after, *this)
                 || of.failure_policy_or_default().may_restart_beyond_pod();
  result.changed |= decides && (!before || !same_for_reconcile(*before, after));
  result.events = events_of_change(kind, o, of, before, after);
  if (before)
    *before = std::move(after);
  else
    all.known.insert(std::move(after));
  return result;
}

bool observed_children::record_deleted(child_kind kind,
                                       const std::string& uid) {
  return forget_child(kind, uid);
}

bool observed_children::forget_child(child_kind kind, const uid_key& uid) {
  auto& known = find_or_add_kind(kind).known;
  auto i = known.find(uid);
  if (i == known.end())
    return false;
  gone_.record(kind, *i, launchers_, own_launcher_job(*this));
  if (kind == child_kind::launcher_job)
    launchers_.note_gone(*i, /*is_failure_final=*/!gone_.keeps_lost());
  known.erase(i);
  return true;
}

void observed_children::forget_settled_lost_pods(const job& of,
                                                 const recovery_status& saved) {
  if (gone_.lost().empty())
    return;
  std::set<slot> filled;
  for (const auto& pod : pods())
    if (pod.owned || is_launcher_pod(pod, *this))
      filled.insert(pod.at);
  gone_.forget_settled_lost(of, saved, filled);
}

void observed_children::record_applied_content(const auxiliary_object& wanted,
                                               const job& of,
                                               const std::string& uid) {
  auto* v = find_child(wanted.kind, uid);
  if (v && !v->batch_job) // Of such, no text is kept.
    v->content = content_after_applying(wanted, of, *v->content);
}

std::vector<job_event> observed_children::record_not_admitted_reason(
    child_kind kind, const std::string& uid, const std::string& reason,
    const std::string& message) {
  auto* v = find_child(kind, uid);
  if (!v)
    return {};
  auto before = std::exchange(v->not_admitted, child_problem{reason, message});
  // The reason in its own conditions was already emitted.
  if (before == v->not_admitted
      || (message == v->problem->message && kind != child_kind::native_group))
    return {};
  return {{true, reason, "PodGroup " + v->name + ": " + message}};
}

void observed_children::set_delete_in_flight(child_kind kind,
                                             const std::string& uid,
                                             bool in_flight) {
  if (auto* v = find_child(kind, uid))
    v->delete_in_flight = in_flight;
}

void observed_children::mark_delete_accepted(child_kind kind,
                                             const std::string& uid,
                                             bool at_once) {
  if (auto* v = find_child(kind, uid)) {
    v->terminating = true;
    v->removed_at_once |= at_once;
    v->delete_in_flight = false;
    v->delete_requested = true;
  }
}

bool observed_children::forget_unlisted(child_kind kind,
                                        std::uint64_t list_number,
                                        std::uint64_t version) {
  auto& latest_list_version = find_or_add_kind(kind).latest_list_version;
  latest_list_version = std::max(latest_list_version, version);
  std::vector<uid_key> missing;
  for (const auto& v : children_of_kind(kind))
    if (v.list_number < list_number && v.existed_at_version <= version
        && !v.unselected)
      missing.push_back(v.uid);
  for (const auto& uid : missing) {
    // A look-up of before says nothing of one that vanished since.
    if (kind == child_kind::launcher_job
        && launchers_.note_unlisted_and_check_vanished(*find_child(kind, uid)))
      find_or_add_kind(kind).looked_up_in_vain = false;
    forget_child(kind, uid);
  }
  return !missing.empty();
}

} // namespace troupe::core
