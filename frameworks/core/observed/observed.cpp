#include "frameworks/core/observed/observed.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/applied_content.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "frameworks/core/observed/pod_events.hpp"
#include "frameworks/core/observed/pod_trouble.hpp"

#include <algorithm>
#include <utility>

namespace troupe::core {

namespace {

/// A value that is no small number was not written by us.
std::int32_t early_failures_of(const k8s::object_meta& meta) {
  constexpr std::int32_t max_index = 1000;
  auto i = meta.annotations.find(label::early_failures);
  return i == meta.annotations.end()
             ? 0
             : std::clamp(parse_index_label(i->second), 0, max_index);
}

/// The content and, of a pod group, why it is not admitted: the last such
/// condition.
void read_content_and_pod_group_problem(child_view& v, child_kind kind,
                                        const k8s::full_state& state) {
  v.content = auxiliary_content{
      v.version, auxiliary_texts{state.text, state.metadata, ""}, {}};
  if (kind != child_kind::volcano_group && kind != child_kind::pod_group)
    return;
  const auto body = parse_json_or_null(state.text);
  for (const auto& c : value_at(body, {"status", "conditions"}))
    if (text_at(c, {"type"}) == "Unschedulable"
        && text_at(c, {"status"}) == "True")
      v.problem = child_problem{text_at(c, {"reason"}, "Unschedulable"),
                                text_at(c, {"message"})};
}

std::vector<job_event> new_pod_group_problem_events(const child_view* before,
                                                    const child_view& after) {
  bool fresh = !before || before->problem != after.problem;
  if (!fresh || !after.owned || after.problem->message.empty())
    return {};
  return {{true, after.problem->reason,
           "PodGroup " + after.name + ": " + after.problem->message}};
}

bool same_pod_details(const child_view& a, const child_view& b) {
  return a.details == b.details
         || (a.details && b.details && *a.details == *b.details);
}

std::string owner_pod_name(const k8s::object_meta& meta) {
  for (const auto& o : meta.owners)
    if (!o.controller && o.kind == "Pod" && o.api_version == "v1")
      return o.name;
  return "";
}

/// Whether a watch of this kind shows an object with these labels. A selector
/// of fields shows all that this program makes.
bool is_selected_by_watch(child_kind kind, const k8s::object_meta& meta) {
  const std::string_view selector = watch_selectors_of(kind).labels;
  if (selector.empty())
    return true;
  auto equals = selector.find('=');
  auto i = meta.labels.find(std::string{selector.substr(0, equals)});
  return i != meta.labels.end() && i->second == selector.substr(equals + 1);
}

/// That of a watch or an answer without its state is that of a Job that has
/// none yet.
void copy_launcher_job_state(child_view& v, const k8s::object& o) {
  const auto* state = std::get_if<k8s::batch_job_state>(&o.state);
  v.batch_job = std::make_shared<const k8s::batch_job_state>(
      state ? *state : k8s::batch_job_state{});
  // All of it that is read is there.
  v.content = auxiliary_content{v.version, {}, {}};
}

bool same_trouble(const child_view& a, const child_view& b) {
  return a.trouble == b.trouble
         || (a.trouble && b.trouble && *a.trouble == *b.trouble);
}

bool same_launcher_job_state(const child_view& a, const child_view& b) {
  return a.batch_job == b.batch_job
         || (a.batch_job && b.batch_job && *a.batch_job == *b.batch_job);
}

child_view make_child_view(child_kind kind, const k8s::object& o,
                           const child_claims& claims, bool owned,
                           const job& of) {
  child_view v;
  v.name = o.meta.name;
  v.uid = o.meta.uid;
  v.version = o.meta.resource_version;
  if (is_replica_child(kind))
    v.at = claims.at();
  v.owned = owned;
  v.labels_match_job = labels_match_or_kind_is_shared(kind, claims, of);
  v.unselected = !is_selected_by_watch(kind, o.meta);
  if (kind == child_kind::launcher_job) {
    v.labels_match_job = !v.unselected;
    v.attempt = attempt_by_label(o.meta);
    copy_launcher_job_state(v, o);
  }
  if (kind == child_kind::pod && claims.made_by_job)
    v.made_by_job = claims.controller->uid;
  v.terminating = o.meta.deleted.has_value();
  v.leaves_by = o.meta.deleted.value_or(time_point{});
  v.created = v.ended = o.meta.created;
  v.early_failures_saved = early_failures_of(o.meta);
  if (const auto* state = std::get_if<k8s::full_state>(&o.state))
    read_content_and_pod_group_problem(v, kind, *state);
  if (kind == child_kind::pod) {
    if (auto pod = owner_pod_name(o.meta); !pod.empty())
      v.owner_pod = std::move(pod);
    if (const auto* state = std::get_if<k8s::pod_state>(&o.state))
      copy_pod_state(v, *state, o.meta, of);
    v.ready = v.ready && of.kind->pods.counts_ready_pods;
  }
  return v;
}

/// Everything except what only bookkeeping reads.
bool same_for_reconcile(const child_view& a, const child_view& b) {
  return a.name == b.name && a.at == b.at && a.owned == b.owned
         && a.labels_match_job == b.labels_match_job
         && a.terminating == b.terminating && a.phase == b.phase
         && a.scheduled == b.scheduled && a.ready == b.ready
         && a.disrupted == b.disrupted && a.failed_early == b.failed_early
         && a.refused == b.refused && a.gave_up_waiting == b.gave_up_waiting
         && a.leaves_by == b.leaves_by && a.ended == b.ended
         && a.early_failures == b.early_failures
         && a.early_failures_saved == b.early_failures_saved
         && a.exit_code == b.exit_code && a.restarts == b.restarts
         && a.problem == b.problem && a.container_loop == b.container_loop
         && same_content(*a.content, *b.content)
         && a.is_content_current() == b.is_content_current()
         && a.made_by_job == b.made_by_job && same_launcher_job_state(a, b)
         && a.attempt == b.attempt
         && a.failed_before_deletion == b.failed_before_deletion
         && same_trouble(a, b) && same_pod_details(a, b);
}

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

/// Whether the object says more than is known. A watch of metadata only may
/// have delivered this version before, or its texts were not kept.
bool brings_news(const child_view& known, const k8s::object& o) {
  if (o.meta.resource_version != known.version)
    return o.meta.resource_version > known.version;
  return (!known.is_content_current() || known.content->stored_as_sent)
         && std::holds_alternative<k8s::full_state>(o.state);
}

/// What the object does not say, or not any more.
void keep_history(child_kind kind, child_view& after,
                  const child_view& before) {
  after.list_number = before.list_number;
  after.existed_at_version = before.existed_at_version;
  after.confirmed = before.confirmed;
  // A terminating object does not become non-terminating again.
  after.terminating |= before.terminating;
  after.delete_in_flight = before.delete_in_flight;
  after.delete_requested = before.delete_requested;
  after.removed_at_once = before.removed_at_once;
  after.failed_early |= before.failed_early;
  after.failed_before_deletion |= before.failed_before_deletion;
  if (after.owner_pod->empty()) // The garbage collector may have removed it.
    after.owner_pod = before.owner_pod;
  after.not_admitted = before.not_admitted;
  if (!after.details) // An answer without the spec.
    after.details = before.details;
  if (!is_replica_child(kind))
    after.content = content_with_history(after.content, before.content);
}

std::vector<job_event> events_of_change(child_kind kind, const k8s::object& o,
                                        const job& of, const child_view* before,
                                        const child_view& after) {
  if (!is_replica_child(kind))
    return new_pod_group_problem_events(before, after);
  const auto* state = std::get_if<k8s::pod_state>(&o.state);
  return kind == child_kind::pod && state
             ? pod_events(of, before, after, *state)
             : std::vector<job_event>{};
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
    after.early_failures = std::max(after.early_failures_saved,
                                    before ? before->early_failures
                                           : early_failure_count(after.at));
  if (whose == ownership::owned)
    all.ever_owned = true;
  if (whose == ownership::owned && kind == child_kind::launcher_job)
    launcher_jobs_.insert(after.uid);
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
  return forget_child_but_keep_counts(kind, uid);
}

bool observed_children::forget_child_but_keep_counts(child_kind kind,
                                                     const uid_key& uid) {
  auto& known = find_or_add_kind(kind).known;
  auto i = known.find(uid);
  if (i == known.end())
    return false;
  const auto& v = *i;
  bool counts = kind == child_kind::pod && v.owned && !v.delete_requested
                && v.phase != k8s::pod_phase::succeeded && v.restarts > 0;
  if (counts)
    deleted_with_unsaved_restarts_.push_back(v);
  bool is_replaced =
      v.owned || (keeps_lost_pods_ && was_launcher_job(v.made_by_job));
  if (kind == child_kind::pod && is_replaced)
    count_or_reset_early_failures(v);
  if (keeps_lost_pods_ && is_lost(kind, v)) {
    lost_pods_.push_back(v);
    if (kind == child_kind::launcher_job)
      lost_pods_.back().at = {launcher_type_, 0};
  }
  known.erase(i);
  return true;
}

bool observed_children::is_lost(child_kind kind, const child_view& gone) const {
  if (gone.delete_requested || gone.delete_in_flight)
    return false;
  if (kind == child_kind::launcher_job)
    return gone.owned && !gone.batch_job->is_finished();
  if (kind != child_kind::pod || gone.phase == k8s::pod_phase::succeeded)
    return false;
  if (gone.owned)
    return gone.labels_match_job;
  const auto* maker = own_launcher_job(*this);
  return maker && gone.made_by_job == maker->uid && !maker->delete_requested
         && !maker->delete_in_flight;
}

void observed_children::forget_deleted_with_unsaved_restarts(
    const std::set<uid_key>& saved) {
  auto& gone = deleted_with_unsaved_restarts_;
  gone.erase(
      std::remove_if(gone.begin(), gone.end(),
                     [&](const auto& v) { return saved.count(v.uid) > 0; }),
      gone.end());
}

void observed_children::forget_settled_lost_pods(const job& of,
                                                 const recovery_status& saved) {
  if (lost_pods_.empty())
    return;
  std::set<slot> filled;
  for (const auto& pod : pods())
    if (pod.owned || is_launcher_pod(pod, *this))
      filled.insert(pod.at);
  auto is_settled = [&](const child_view& pod) {
    const auto* type = of.find_replica_spec(pod.at.type);
    return !type || pod.at.index >= type->replicas
           || pod.attempt < saved.attempt_of(type->type)
           || filled.count(pod.at) > 0;
  };
  lost_pods_.erase(
      std::remove_if(lost_pods_.begin(), lost_pods_.end(), is_settled),
      lost_pods_.end());
}

void observed_children::count_or_reset_early_failures(const child_view& gone) {
  if (gone.failed_early)
    early_failures_[gone.at] = gone.early_failures + 1;
  else
    early_failures_.erase(gone.at);
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
  if (before == v->not_admitted || message == v->problem->message)
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
  for (const auto& uid : missing)
    forget_child_but_keep_counts(kind, uid);
  return !missing.empty();
}

} // namespace troupe::core
