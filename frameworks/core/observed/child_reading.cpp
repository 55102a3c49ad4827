#include "frameworks/core/observed/child_reading.hpp"

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

/// Why Kubernetes' scheduler has not placed the group.
child_problem native_group_problem(const std::string& text) {
  const auto body = parse_json_or_null(text);
  for (const auto& c : array_at(body, {"status", "conditions"}))
    if (text_at(c, {"type"}) == "PodGroupInitiallyScheduled"
        && text_at(c, {"status"}) == "False")
      return {text_at(c, {"reason"}, "Unschedulable"), text_at(c, {"message"})};
  return {};
}

/// The content and, of a pod group, why it is not admitted: the last such
/// condition.
void read_content_and_pod_group_problem(child_view& v, child_kind kind,
                                        const k8s::full_state& state) {
  if (kind == child_kind::workload) {
    v.content =
        auxiliary_content{v.version, {}, {}, read_workload_state(state)};
    return;
  }
  v.content = auxiliary_content{
      v.version, auxiliary_texts{state.text, state.metadata, ""}, {}, {}};
  if (kind == child_kind::native_group)
    v.problem = native_group_problem(state.text);
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

/// That of a watch or an answer without its state is that of a Job that has
/// none yet.
void copy_launcher_job_state(child_view& v, const k8s::object& o) {
  const auto* state = std::get_if<k8s::batch_job_state>(&o.state);
  v.batch_job = std::make_shared<const k8s::batch_job_state>(
      state ? *state : k8s::batch_job_state{});
  // All of it that is read is there.
  v.content = auxiliary_content{v.version, {}, {}, {}};
}

bool same_trouble(const child_view& a, const child_view& b) {
  return a.trouble == b.trouble
         || (a.trouble && b.trouble && *a.trouble == *b.trouble);
}

bool same_launcher_job_state(const child_view& a, const child_view& b) {
  return a.batch_job == b.batch_job
         || (a.batch_job && b.batch_job && *a.batch_job == *b.batch_job);
}

} // namespace

bool is_selected_by_watch(child_kind kind, const k8s::object_meta& meta) {
  const std::string_view selector = watch_selectors_of(kind).labels;
  if (selector.empty())
    return true;
  auto equals = selector.find('=');
  auto i = meta.labels.find(std::string{selector.substr(0, equals)});
  return i != meta.labels.end() && i->second == selector.substr(equals + 1);
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
    v.ready = v.ready && (of.kind->pods.counts_ready_pods || !of.queue.empty());
  }
  return v;
}

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
         && a.attempt == b.attempt && a.scheduling_group == b.scheduling_group
         && a.failed_before_deletion == b.failed_before_deletion
         && same_trouble(a, b) && same_pod_details(a, b);
}

bool brings_news(const child_view& known, const k8s::object& o) {
  if (o.meta.resource_version != known.version)
    return o.meta.resource_version > known.version;
  return (!known.is_content_current() || known.content->stored_as_sent)
         && std::holds_alternative<k8s::full_state>(o.state);
}

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
  if (after.scheduling_group == 0)
    after.scheduling_group = before.scheduling_group;
  if (!is_replica_child(kind))
    after.content = content_with_history(after.content, before.content);
}

std::vector<job_event> events_of_change(child_kind kind, const k8s::object& o,
                                        const job& of, const child_view* before,
                                        const child_view& after) {
  if (kind == child_kind::native_group)
    return {}; // Told when it has lasted: see gangs/native_gang_reason.hpp.
  if (!is_replica_child(kind))
    return new_pod_group_problem_events(before, after);
  const auto* state = std::get_if<k8s::pod_state>(&o.state);
  return kind == child_kind::pod && state
             ? pod_events(of, before, after, *state)
             : std::vector<job_event>{};
}

} // namespace troupe::core
