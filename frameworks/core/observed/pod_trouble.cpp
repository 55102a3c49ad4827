#include "frameworks/core/observed/pod_trouble.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/model/recovery_status.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <string_view>

namespace troupe::core {

namespace {

using state_kind = k8s::container_status::state_kind;

std::string bounded_trouble_text(const std::string& text) {
  return k8s::utf8_prefix(text, max_trouble_text_bytes);
}

const k8s::pod_condition* find_condition(const k8s::pod_state& state,
                                         std::string_view type) {
  for (const auto& c : state.conditions)
    if (c.type == type)
      return &c;
  return nullptr;
}

/// Whether the node's controller has made the pod not ready. It changes nothing
/// else, so there is no reason, which kubelets always give, and the containers
/// are as ready as before.
bool was_made_unready_for_its_node(const k8s::pod_state& state,
                                   const k8s::pod_condition& ready) {
  if (ready.reason == "NodeNotReady")
    return true;
  const auto* containers = find_condition(state, "ContainersReady");
  return ready.reason.empty() && containers && containers->status == "True";
}

time_point node_silent_since(const k8s::pod_state& state) {
  const auto* ready = find_condition(state, "Ready");
  return ready && ready->status != "True"
                 && was_made_unready_for_its_node(state, *ready)
             ? ready->last_transition
             : time_point{};
}

/// When the last container ended; nullopt if that is not known of all that
/// have.
std::optional<time_point>
last_known_container_end(const k8s::pod_state& state) {
  std::optional<time_point> last;
  for (const auto* all : {&state.containers, &state.init_containers})
    for (const auto& c : *all) {
      if (c.state != state_kind::terminated)
        continue;
      if (!c.finished || *c.finished == time_point{})
        return std::nullopt;
      last = std::max(last, c.finished);
    }
  return last;
}

/// When its deletion was requested, as far as that can be told.
std::optional<time_point> deletion_request(const k8s::object_meta& meta) {
  constexpr std::int64_t longest = 1'000'000'000;
  const auto& grace = meta.deletion_grace_seconds;
  if (!meta.deleted || !grace || *grace < 0 || *grace > longest)
    return std::nullopt;
  return *meta.deleted - seconds{*grace};
}

/// Times are in whole seconds, so an end in the second of the request may be
/// its effect.
bool has_failed_before_deletion(const k8s::pod_state& state,
                                const k8s::object_meta& meta) {
  if (state.phase != k8s::pod_phase::failed)
    return false;
  if (!meta.deleted)
    return true;
  auto end = last_known_container_end(state);
  auto request = deletion_request(meta);
  return end && request && *end < *request;
}

void append_ended_containers(
    std::vector<pod_trouble::ended_container>& out,
    const std::vector<k8s::container_status>& containers) {
  auto left = max_trouble_message_bytes;
  for (const auto& one : out)
    left -= std::min(left, one.message.size());
  for (const auto& c : containers)
    if (c.state == state_kind::terminated
        && out.size() < max_trouble_containers) {
      auto message =
          k8s::utf8_prefix(c.message, std::min(left, max_trouble_text_bytes));
      left -= message.size();
      out.push_back({bounded_trouble_text(c.name), c.exit_code,
                     bounded_trouble_text(c.reason), std::move(message)});
    }
}

std::vector<k8s::pod_condition>
kept_conditions(const std::vector<k8s::pod_condition>& all) {
  std::vector<k8s::pod_condition> out;
  for (const auto& c : all)
    if (out.size() < max_trouble_conditions)
      out.push_back({bounded_trouble_text(c.type),
                     bounded_trouble_text(c.status),
                     bounded_trouble_text(c.reason),
                     bounded_trouble_text(c.message), c.last_transition});
  return out;
}

/// Whether anything is decided or said by how a pod of the job has failed.
bool is_failure_looked_at(const job& of) {
  return of.policy.failure || *of.kind->names.type_made_by_job != '\0';
}

std::shared_ptr<const pod_trouble>
find_trouble(const k8s::pod_state& state, bool terminating, const job& of) {
  bool failed = state.phase == k8s::pod_phase::failed;
  auto silent_since = node_silent_since(state);
  if (!(failed && is_failure_looked_at(of)) && !terminating
      && silent_since == time_point{})
    return nullptr;
  auto result = std::make_shared<pod_trouble>();
  result->node = bounded_trouble_text(state.node);
  result->reason = bounded_trouble_text(state.reason);
  result->message = bounded_trouble_text(state.message);
  result->node_silent_since = silent_since;
  if ((failed || terminating)
      && of.failure_policy_or_default().must_see_failures()) {
    append_ended_containers(result->ended, state.containers);
    append_ended_containers(result->ended, state.init_containers);
    result->conditions = kept_conditions(state.conditions);
  }
  return result;
}

} // namespace

std::int32_t attempt_by_label(const k8s::object_meta& meta) {
  auto i = meta.labels.find(label::restart_attempt);
  if (i == meta.labels.end())
    return 0;
  auto number = parse_index_label(i->second);
  return number > 0 && number <= max_restart_attempt ? number : 0;
}

void copy_attempt_and_trouble(child_view& view, const k8s::pod_state& state,
                              const k8s::object_meta& meta, const job& of) {
  view.attempt = attempt_by_label(meta);
  view.says_attempt = meta.labels.count(label::restart_attempt) > 0;
  view.told_to_report = meta.labels.count(label::progress) > 0;
  view.failed_before_deletion = has_failed_before_deletion(state, meta);
  view.trouble = find_trouble(state, view.terminating, of);
}

} // namespace troupe::core
