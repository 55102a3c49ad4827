#include "frameworks/core/gangs/native_gang.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/observed/failures.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/spec/native_gang_spec.hpp"

#include <algorithm>
#include <string_view>

namespace troupe::core {

namespace {

/// The scheduler writes the status of a group soon after it has bound its pods.
constexpr seconds status_lag{10};
constexpr seconds before_refusal_is_told{30};

bool is_live(const child_view& pod) {
  return !pod.is_finished() && !pod.is_leaving();
}

// -- counting -----------------------------------------------------------------

bool has_ended_for_good(const native_gang_inputs& in,
                        const replica_type_view& type,
                        const slot_state& state) {
  if (in.recovery.completed_of(type.spec->type).contains(state.at.index))
    return true;
  if (!state.pod || state.pod->is_leaving())
    return false;
  if (state.pod->phase == k8s::pod_phase::succeeded)
    return true;
  if (state.pod->phase != k8s::pod_phase::failed)
    return false;
  auto action = decide_on_failure(in.of, *type.spec, *state.pod).action;
  return action == failure_action::keep || action == failure_action::fail_job;
}

/// One member, of whose pods this is the one that counts; nullptr: none does.
void count_member(gang_count& to, const child_view* live) {
  bool placed = live && live->scheduled;
  to.live += live ? 1 : 0;
  to.placed += placed ? 1 : 0;
  to.any_missing_or_waiting |= !placed;
}

void count_type(gang_count& to, const native_gang_inputs& in,
                const replica_type_view& type, const std::string& group) {
  to.total += type.spec->replicas;
  to.needed += type.spec->replicas;
  for (const auto& state : type.slots) {
    bool live = state.pod && is_live(*state.pod);
    if (has_ended_for_good(in, type, state)
        || (live && is_outside_group(*state.pod, group)))
      --to.needed;
    else
      count_member(to, live ? state.pod : nullptr);
  }
}

const child_view* youngest_launcher_pod(const observed_children& seen) {
  const child_view* found = nullptr;
  for (const auto& pod : seen.pods())
    if (is_launcher_pod(pod, seen) && !pod.is_leaving()
        && pod.phase != k8s::pod_phase::failed
        && (!found || pod.created > found->created))
      found = &pod;
  return found;
}

bool is_launcher_done(const native_gang_inputs& in,
                      const replica_type_view& type, const child_view* pod) {
  const auto* launcher = own_launcher_job(in.seen);
  return in.recovery.completed_of(type.spec->type).contains(0)
         || (launcher && launcher->batch_job->complete)
         || (pod && pod->phase == k8s::pod_phase::succeeded);
}

/// It counts once it may start or need not wait: else the others would wait for
/// a launcher that waits for them.
void count_launcher(gang_count& to, const native_gang_inputs& in,
                    const replica_type_view& type, const std::string& group) {
  auto waits = in.of.kind->hooks.launcher_waits_for_ready_pods;
  const auto* pod = youngest_launcher_pod(in.seen);
  bool done = is_launcher_done(in, type, pod);
  if (!done && waits && waits(in.of) && !is_launcher_started(in.seen))
    return;
  ++to.total;
  if (done || (pod && is_outside_group(*pod, group)))
    return;
  ++to.needed;
  count_member(to, pod);
}

// -- the group ----------------------------------------------------------------

bool has_pods(const observed_children& seen, const child_view& group) {
  return std::any_of(
      seen.pods().begin(), seen.pods().end(), [&](const auto& pod) {
        return !pod.is_finished() && !is_outside_group(pod, group.name)
               && (pod.owned || is_launcher_pod(pod, seen));
      });
}

json group_body(const child_view& group) {
  return parse_json_or_null(group.body());
}

/// What minCount is to be now. Ended pods do not count for the scheduler, so it
/// is lowered before a pod is made that would wait for them, and raised when
/// all pods exist, or none. Not when only some have a node: if one of these
/// went, its replacement would have to wait until there is room for all.
std::int32_t next_min_count(const native_gang_inputs& in, const gang_count& n,
                            std::int32_t wanted, std::int32_t current) {
  auto target = std::max(1, std::min(wanted, n.needed));
  if (current > wanted || (current > target && n.any_missing_or_waiting))
    return target;
  bool has_surplus = !in.children.out_of_range.empty();
  bool all_exist = n.live >= target && (n.placed == 0 || n.placed == n.live);
  if (current < target && (all_exist || (n.live == 0 && !has_surplus)))
    return target;
  return current;
}

std::int32_t wanted_min_count(const job& j, const gang_count& n) {
  auto wanted = j.policy.scheduling
                    ? j.policy.scheduling->min_available.value_or(n.total)
                    : n.total;
  return std::clamp(wanted, 1, std::max(1, n.total));
}

auxiliary_object named_group(std::string name, std::string body) {
  auxiliary_object out;
  out.kind = child_kind::native_group;
  out.name = std::move(name);
  out.body = std::move(body);
  out.before_pods = true;
  return out;
}

// -- what is wrong ------------------------------------------------------------

std::optional<job_event> lost_topology_warning(const job& j,
                                               const json& group) {
  if (j.policy.gang->topology.empty()
      || !value_at(group, {"spec", "schedulingConstraints"}).is_null())
    return std::nullopt;
  return job_event{
      true, "TopologyIgnored",
      "The cluster ignores annotation training.kubeflow.org/topology: its API "
      "server has dropped the topology of the PodGroup, as feature gate "
      "TopologyAwareWorkloadScheduling is off"};
}

job_event difference_warning(const child_view& group) {
  return {true, "PodGroupDiffers",
          "PodGroup " + group.name
              + " has another priority class, topology or disruption mode than "
                "the job wants now, and keeps it as long as the job has pods"};
}

/// When the first pod has run so long that a scheduler which knows groups would
/// have said something about this one; nullopt: it has, or no pod runs.
std::optional<time_point> ignored_at(const observed_children& seen,
                                     const child_view& group) {
  std::optional<time_point> first;
  for (const auto& pod : seen.pods())
    if (pod.owned && pod.scheduled && is_live(pod)
        && !is_outside_group(pod, group.name) && pod.started != time_point{}
        && pod.created >= group.created)
      first = std::min(first.value_or(pod.started), pod.started);
  return first ? std::optional{*first + status_lag} : std::nullopt;
}

job_event ignored_warning(const child_view& group) {
  return {true, "PodGroupsIgnored",
          "Pods of the job were placed one by one: the scheduler ignores "
          "PodGroup "
              + group.name + "; switch on its feature gate GenericWorkload"};
}

void add_warning(native_gang_step& to, const native_gang_inputs& in,
                 const child_view& group) {
  const auto body = group_body(group);
  const auto at = array_at(body, {"status", "conditions"}).empty()
                      ? ignored_at(in.seen, group)
                      : std::nullopt;
  if (at && *at <= in.now) {
    to.warning = ignored_warning(group);
    return;
  }
  to.look_again_at = at;
  if (group.name != native_group_name(in.of))
    to.warning = difference_warning(group);
  else
    to.warning = lost_topology_warning(in.of, body);
}

// -- steps --------------------------------------------------------------------

native_gang_step step_with_new_group(const native_gang_inputs& in) {
  native_gang_step out;
  out.group_of_pods = native_group_name(in.of);
  const auto n = count_gang(in, out.group_of_pods);
  const auto wanted = wanted_min_count(in.of, n);
  const auto first = std::max(1, std::min(wanted, n.needed));
  out.group = named_group(out.group_of_pods,
                          native_group_body(in.of, first, wanted == n.total));
  return out;
}

native_gang_step step_with_group(const native_gang_inputs& in,
                                 const child_view& group) {
  const auto n = count_gang(in, group.name);
  const auto wanted = wanted_min_count(in.of, n);
  const auto known = min_count_of(group);
  const auto current = known == 0 ? wanted : known;
  const auto next = next_min_count(in, n, wanted, current);
  native_gang_step out;
  out.group_of_pods = group.name;
  out.group = named_group(group.name, native_group_change(next));
  // One that is being deleted stays as long as pods are in it.
  out.group->before_pods = !group.terminating;
  out.changes_first = next < current || (next > current && n.live == 0);
  add_warning(out, in, group);
  return out;
}

} // namespace

bool is_outside_group(const child_view& pod, const std::string& group) {
  return pod.scheduling_group != 0
         && pod.scheduling_group != hash_of_group(group);
}

gang_count count_gang(const native_gang_inputs& in, const std::string& group) {
  gang_count out;
  const std::string_view made_by_job = in.of.kind->names.type_made_by_job;
  for (const auto& type : in.children.types)
    if (!made_by_job.empty() && type.spec->label == made_by_job)
      count_launcher(out, in, type, group);
    else
      count_type(out, in, type, group);
  return out;
}

const child_view* own_native_group(const observed_children& seen,
                                   const job& of) {
  const auto wanted = native_group_name(of);
  const child_view* best = nullptr;
  auto rank = [&](const child_view& v) {
    return (v.is_leaving() ? 0 : 2) + (v.name == wanted ? 1 : 0);
  };
  for (const auto& v : seen.children_of_kind(child_kind::native_group))
    if (v.owned && (!best || rank(v) > rank(*best)))
      best = &v;
  return best;
}

std::int32_t min_count_of(const child_view& group) {
  const auto body = group_body(group);
  return int32_at(body, {"spec", "schedulingPolicy", "gang", "minCount"})
      .value_or(0);
}

bool has_conditions(const child_view& group) {
  const auto body = group_body(group);
  return !array_at(body, {"status", "conditions"}).empty();
}

native_gang_step decide_native_gang(const native_gang_inputs& in) {
  if (names_own_group(in.of))
    return {};
  if (auto why = find_gang_conflict(in.of); !why.empty()) {
    native_gang_step out;
    out.warning = job_event{
        true, "NoPodGroup",
        "The job has no PodGroup, and its pods are placed one by one: " + why};
    return out;
  }
  const auto* group = own_native_group(in.seen, in.of);
  bool in_use =
      group && (has_pods(in.seen, *group) || in.open.has_creation_in_flight());
  bool fits =
      group && !group->is_leaving() && group->name == native_group_name(in.of);
  if (group && (in_use || fits))
    return step_with_group(in, *group);
  return step_with_new_group(in);
}

native_gang_refusal find_lasting_refusal(const observed_children& seen,
                                         const job& of, time_point now) {
  native_gang_refusal out;
  const auto* group = own_native_group(seen, of);
  if (!group || group->problem->reason.empty()
      || group->problem->reason == group->not_admitted->reason)
    return out;
  const auto body = group_body(*group);
  time_point since = group->created;
  for (const auto& c : array_at(body, {"status", "conditions"}))
    if (text_at(c, {"type"}) == "PodGroupInitiallyScheduled")
      since =
          k8s::from_rfc3339(text_at(c, {"lastTransitionTime"})).value_or(since);
  if (now < since + before_refusal_is_told) {
    out.look_again_at = since + before_refusal_is_told;
    return out;
  }
  out.group = group;
  out.problem = *group->problem;
  return out;
}

} // namespace troupe::core
