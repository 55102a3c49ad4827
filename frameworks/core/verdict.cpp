#include "frameworks/core/verdict.hpp"

#include "frameworks/core/gang_events.hpp"
#include "frameworks/core/names.hpp"
#include "frameworks/core/restarts.hpp"

namespace troupe::core {

namespace {

std::string message_of(const job_status& s, const char* type) {
  const auto* c = s.find(type);
  return c ? c->message : std::string{};
}

/// The first pod that does not get on by itself, else the first that waits for
/// those, or "".
std::string first_pod_problem(const reconcile_context& p) {
  std::string waits;
  for (const auto& type : p.children.types)
    for (const auto& state : type.slots) {
      if (!state.pod || state.pod->problem_message.empty())
        continue;
      const auto& pod = *state.pod;
      auto text = "; " + pod.problem_reason + ": " + pod.problem_message;
      if (pod.problem_reason != "Undetermined"
          && !is_about_other_gang_members(pod.problem_message))
        return text;
      if (waits.empty())
        waits = text;
    }
  return waits;
}

std::string name_at(const reconcile_context& p, const slot& at) {
  return child_name(p.j, at);
}

/// The first place without a pod that counts, or "".
std::string first_pod_not_running(const reconcile_context& p) {
  for (const auto& type : p.children.types)
    for (const auto& state : type.slots) {
      if (!state.pod)
        return "; " + name_at(p, state.at) + " does not exist yet";
      if (state.pod->terminating)
        return "; " + name_at(p, state.at) + " is being deleted";
      if (state.pod->phase == k8s::pod_phase::pending)
        return "; " + name_at(p, state.at)
               + (state.pod->scheduled ? " is starting"
                                       : " is not scheduled yet");
    }
  return {};
}

std::string describe_unrecorded_restart(const reconcile_context& p) {
  for (const auto* pod : pods_to_replace(p))
    if (!restart_is_recorded(p.j, p.saved, *pod))
      return "; the restart of " + pod->name + " is being recorded";
  return {};
}

/// The first failed pod that waits for its replacement, or "".
std::string waits_for_replacement(const reconcile_context& p) {
  for (const auto* pod : pods_to_replace(p))
    if (auto then = earliest_replacement(*pod); then && p.now < *then)
      return "; " + describe_replacement_wait(*pod);
  return {};
}

std::string progress(const reconcile_context& p) {
  std::int64_t active = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  for (const auto& [type, r] : p.status().replicas) {
    active += r.active;
    succeeded += r.succeeded;
    failed += r.failed;
  }
  auto text = std::to_string(active) + " of "
              + std::to_string(p.j.total_replicas()) + " replicas run";
  if (succeeded > 0)
    text += ", " + std::to_string(succeeded) + " have succeeded";
  if (failed > 0)
    text += ", " + std::to_string(failed) + " have failed";
  auto why = waits_for_replacement(p);
  if (why.empty())
    why = first_pod_problem(p);
  if (why.empty())
    why = describe_unrecorded_restart(p);
  return text + (why.empty() ? first_pod_not_running(p) : why);
}

} // namespace

std::string verdict(const reconcile_context& p, const observed_children& seen) {
  const auto& s = p.status();
  std::string unsaved = p.saved.finished() ? "" : " (being written)";
  if (s.is_true(condition_type::failed))
    return "failed: " + message_of(s, condition_type::failed) + unsaved;
  if (s.is_true(condition_type::succeeded))
    return "has succeeded" + unsaved;
  if (s.is_true(condition_type::suspended))
    return "is suspended";
  if (p.j.total_replicas() == 0)
    return "asks for no replicas";
  if (!p.pod_creation_blocked_by.empty() && seen.pods().empty())
    return p.pod_creation_blocked_by;
  return progress(p);
}

} // namespace troupe::core
