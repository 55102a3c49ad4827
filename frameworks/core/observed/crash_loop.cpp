#include "frameworks/core/observed/crash_loop.hpp"

#include "frameworks/core/observed/failures.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace troupe::core {

using k8s::container_status;
using state_kind = container_status::state_kind;

namespace {

constexpr std::int32_t least_times = 2;
constexpr time_point unknown{};

/// "back-off 2m40s restarting failed container=..." -> 160 s, as kubelets say
/// it.
std::optional<std::chrono::seconds>
parse_kubelet_back_off(const std::string& message) {
  constexpr std::string_view begin = "back-off ";
  if (message.rfind(begin, 0) != 0)
    return std::nullopt;
  std::int64_t seconds = 0;
  std::int64_t number = 0;
  for (auto i = begin.size(); i < message.size() && message[i] != ' '; ++i) {
    char c = message[i];
    auto unit = c == 'h' ? 3600 : c == 'm' ? 60 : c == 's' ? 1 : 0;
    if (c >= '0' && c <= '9' && number < 1'000'000)
      number = number * 10 + (c - '0');
    else if (unit > 0)
      seconds += std::exchange(number, 0) * unit;
    else
      return std::nullopt;
  }
  if (seconds == 0 || number != 0)
    return std::nullopt;
  return std::chrono::seconds{seconds};
}

bool is_own_init_container(const container_status& c,
                           const replica_spec* spec) {
  if (!spec)
    return false;
  const auto& own = *spec->own_init_containers;
  return std::find(own.begin(), own.end(), c.name) != own.end();
}

/// Whether its kubelet starts it again.
bool will_kubelet_restart(const container_status& c, const replica_spec* spec,
                          bool is_init) {
  if (c.exit_code == 0)
    return !is_init && spec && spec->restart_text == "Always";
  return !spec || spec->restart_text == "OnFailure"
         || spec->restart_text == "Always";
}

bool was_short_or_unknown(const container_status::ended_run& run) {
  return !run.started || !run.finished
         || *run.finished - *run.started < end_of_crash_loop;
}

crash_loop
crash_loop_after_run(const container_status& c,
                     const std::optional<container_status::ended_run>& run) {
  crash_loop loop;
  loop.container = c.name;
  loop.times = c.restarts;
  if (run) {
    loop.exit_code = run->exit_code;
    loop.reason = run->reason;
  }
  return loop;
}

std::optional<crash_loop> crash_loop_of_container(const container_status& c,
                                                  const replica_spec* spec,
                                                  bool is_init) {
  if (c.state == state_kind::waiting && c.reason == "CrashLoopBackOff") {
    auto loop = crash_loop_after_run(c, c.last);
    auto wait = parse_kubelet_back_off(c.message);
    if (wait && c.last && c.last->finished)
      loop.next_try = *c.last->finished + *wait;
    return loop;
  }
  if (c.restarts < least_times)
    return std::nullopt;
  if (c.state == state_kind::terminated
      && will_kubelet_restart(c, spec, is_init)) {
    container_status::ended_run run{c.exit_code, c.reason, c.started,
                                    c.finished};
    if (was_short_or_unknown(run))
      return crash_loop_after_run(c, run);
  }
  if (c.state == state_kind::running && c.started && c.last
      && was_short_or_unknown(*c.last)) {
    auto loop = crash_loop_after_run(c, c.last);
    loop.running_since = *c.started;
    return loop;
  }
  return std::nullopt;
}

/// Of the pods that took each other's place.
std::optional<crash_loop> crash_loop_of_replacements(const child_view& pod,
                                                     time_point now) {
  auto times = pod.early_failures + (pod.failed_early ? 1 : 0);
  if (times < least_times || (pod.is_finished() && !pod.failed_early))
    return std::nullopt;
  crash_loop loop;
  loop.times = times;
  if (pod.failed_early) {
    loop.exit_code = pod.exit_code;
    loop.next_try = delayed_replacement_time_if_any(pod).value_or(unknown);
    return loop;
  }
  if (pod.started != unknown && now >= pod.started + early_failure_limit)
    return std::nullopt;
  loop.running_since = pod.started;
  return loop;
}

/// "12:01:00 UTC".
std::string time_of_day(time_point t) {
  constexpr std::size_t begin = 11; // In 2026-01-31T12:01:00Z.
  return k8s::to_rfc3339(t).substr(begin, 8) + " UTC";
}

} // namespace

std::optional<crash_loop>
find_most_restarted_container_loop(const k8s::pod_state& state,
                                   const replica_spec* spec) {
  std::optional<crash_loop> most;
  auto look_at = [&](const container_status& c, bool is_init) {
    if (is_own_init_container(c, spec))
      return;
    auto loop = crash_loop_of_container(c, spec, is_init);
    if (loop && (!most || loop->times > most->times))
      most = std::move(loop);
  };
  for (const auto& c : state.containers)
    look_at(c, false);
  for (const auto& c : state.init_containers)
    look_at(c, true);
  return most;
}

std::optional<crash_loop> find_crash_loop(const child_view& pod,
                                          time_point now) {
  if (pod.terminating)
    return std::nullopt;
  const auto& loop = *pod.container_loop;
  if (loop.container.empty() || pod.is_finished())
    return crash_loop_of_replacements(pod, now);
  if (loop.running_since != unknown
      && now >= loop.running_since + end_of_crash_loop)
    return std::nullopt;
  return loop;
}

std::optional<time_point> crash_loop_ends_at(const child_view& pod,
                                             time_point now) {
  auto loop = find_crash_loop(pod, now);
  if (!loop || loop->running_since == unknown)
    return std::nullopt;
  if (loop->container.empty())
    return loop->running_since + early_failure_limit;
  return loop->running_since + end_of_crash_loop;
}

std::string describe_crash_loop(const crash_loop& loop) {
  auto times = std::to_string(loop.times);
  auto text =
      "crash loop, "
      + (loop.container.empty()
             ? times + " pods in a row failed within "
                   + std::to_string(early_failure_limit.count())
                   + " s of their start"
             : times + (loop.times == 1 ? " restart of " : " restarts of ")
                   + loop.container);
  if (loop.exit_code)
    text += ", last exit code " + std::to_string(*loop.exit_code);
  if (loop.exit_code && !loop.reason.empty() && loop.reason != "Error"
      && loop.reason != "Completed")
    text += " (" + loop.reason + ")";
  if (loop.next_try != unknown)
    return text + ", next try at " + time_of_day(loop.next_try);
  if (loop.running_since != unknown)
    return text + ", runs again since " + time_of_day(loop.running_since);
  return text + ", the next try is about to begin";
}

} // namespace troupe::core
