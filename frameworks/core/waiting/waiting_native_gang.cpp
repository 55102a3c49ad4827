#include "frameworks/core/waiting/waiting_native_gang.hpp"

#include "frameworks/core/gangs/native_gang.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/native_gang_spec.hpp"
#include "frameworks/core/waiting/reason_parts.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

using optional_reason = std::optional<waiting_reason>;

constexpr next_move placer_of_gangs{
    mover::cluster, "the scheduler; a person if the gang can never fit"};

constexpr next_move who_sets_priorities{
    mover::person, "a person, who gives the job and all its pods one priority"};

pod_list members_without_node(const waiting_inputs& in,
                              const std::string& group) {
  return pods_where(in, [&](const child_view& pod) {
    return pod.phase == k8s::pod_phase::pending && !pod.is_leaving()
           && !pod.scheduled && !is_outside_group(pod, group);
  });
}

/// It has no other sign of this.
bool is_about_priorities(const child_problem& problem) {
  return problem.reason == "SchedulerError"
         && problem.message.find("priority") != std::string::npos;
}

optional_reason reason_with(waiting_reason r, const pod_list& pods,
                            std::string details) {
  r.details = std::move(details);
  for (const auto* p : pods)
    r.since = std::min(r.since.value_or(p->created), p->created);
  return r;
}

/// "job-worker-2", of the members that have no pod.
std::string missing_members(const waiting_inputs& in,
                            const classified_children& children) {
  constexpr int most = 3;
  std::string names;
  int count = 0;
  for (const auto& type : children.types)
    for (const auto& state : type.slots)
      if (!state.pod && ++count <= most)
        names += (names.empty() ? "" : ", ") + child_name(*in.wanted, state.at);
  return count > most ? names + " and " + std::to_string(count - most) + " more"
                      : names;
}

/// How many pods the scheduler counts for the group.
std::int32_t live_members(const waiting_inputs& in,
                          const classified_children& children,
                          const std::string& group) {
  return count_gang({*in.wanted, in.seen, children, *in.status.recovery,
                     in.open, in.now},
                    group)
      .live;
}

optional_reason too_few_members(const waiting_inputs& in,
                                const child_view& group, const pod_list& pods) {
  const auto children =
      classify_children(*in.wanted, in.seen, *in.status.recovery);
  const auto live = live_members(in, children, group.name);
  const auto wanted = min_count_of(group);
  if (live >= wanted)
    return {};
  auto missing = missing_members(in, children);
  return reason_with(reason_of("the rest of its gang: PodGroup " + group.name
                                   + " asks for " + pluralize(wanted, "pod")
                                   + ", and " + std::to_string(live)
                                   + (live == 1 ? " counts" : " count"),
                               the_operator),
                     pods, missing.empty() ? "" : "missing: " + missing);
}

} // namespace

optional_reason waiting_for_native_gang(const waiting_inputs& in) {
  if (in.cluster.scheduling != gang::kubernetes || !in.wanted
      || names_own_group(*in.wanted) || !find_gang_conflict(*in.wanted).empty())
    return {};
  const auto* group = own_native_group(in.seen, *in.wanted);
  const auto name = group ? group->name : native_group_name(*in.wanted);
  auto pods = members_without_node(in, name);
  if (pods.empty())
    return {};
  if (!group)
    return reason_with(
        reason_of("PodGroup " + name
                      + ", which its pods name and which is missing",
                  the_operator),
        pods, "");
  const auto& problem = *group->problem;
  const auto to_be_placed = [&](const next_move& whose) {
    return reason_with(
        reason_of("its PodGroup " + name + " to be placed", whose), pods,
        problem.reason + ": " + problem.message);
  };
  if (is_about_priorities(problem))
    return to_be_placed(who_sets_priorities);
  if (auto few = too_few_members(in, *group, pods))
    return few;
  if (problem.reason.empty())
    return {};
  return to_be_placed(placer_of_gangs);
}

} // namespace troupe::core
