#include "actors/cli/progress/restart_events.hpp"

#include "actors/admin/text/terminal_text.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <utility>

namespace troupe::cli {

using actors::strip_control_characters;
using nlohmann::json;

namespace {

std::chrono::seconds time_taken(k8s::time_point from, k8s::time_point to) {
  return std::chrono::duration_cast<std::chrono::seconds>(
      std::max(to - from, k8s::time_point::duration{0}));
}

void add_budget(run_event& to, const attempt_view& v) {
  to.details["countedRestarts"] = v.counted;
  if (!v.most)
    return;
  to.text += " (" + std::to_string(v.counted) + " of at most "
             + std::to_string(*v.most)
             + (*v.most == 1 ? " restart" : " restarts")
             + (v.window.empty() ? "" : " within " + v.window) + ")";
  to.details["maxRestarts"] = *v.most;
}

run_event attempt_event(const std::string& title, const attempt_view& v) {
  run_event event{
      title + ": " + (v.types.empty() ? "all pods" : "the pods of " + v.types)
          + " stop, then start again as attempt " + std::to_string(v.attempt),
      {{"type", "attempt"}, {"attempt", v.attempt}, {"types", v.types}}};
  if (v.pause > std::chrono::seconds{0}) {
    event.text += " after a pause of " + k8s::human_duration(v.pause);
    event.details["pauseSeconds"] = v.pause.count();
  }
  add_budget(event, v);
  return event;
}

/// Whether pods are replaced alone, of which the condition says no more than
/// that some have failed. One that names an attempt is of a restart that is not
/// saved yet.
bool begins_replacement(const job_view& before, const job_view& now) {
  const auto& v = now.attempt;
  bool is_of_attempt = v.attempt > before.attempt.attempt
                       || (v.attempt > 0 && !v.recovered)
                       || now.message.find("(attempt ") != std::string::npos;
  return now.state == "Restarting" && !is_of_attempt
         && (before.state != "Restarting"
             || v.of_pods > before.attempt.of_pods);
}

} // namespace

run_events restart_events(const std::string& title, const job_view& before,
                          const job_view& now) {
  run_events events;
  const auto& v = now.attempt;
  bool begins = v.attempt > before.attempt.attempt;
  if (now.end == job_end::open && begins && !v.recovered)
    events.push_back(attempt_event(title, v));
  if (now.end == job_end::open && begins_replacement(before, now)) {
    run_event event{title
                        + ": the pods that failed are made again, the others "
                          "go on",
                    {{"type", "replacement"}}};
    // A limit on attempts does not hold for pods alone.
    if (v.most_of_pods)
      add_budget(event, v);
    events.push_back(std::move(event));
  }
  if (v.recovered && v.began && v.attempt > 0
      && (begins || !before.attempt.recovered)) {
    auto took = time_taken(*v.began, *v.recovered);
    events.push_back({title + ": attempt " + std::to_string(v.attempt)
                          + " runs, " + k8s::human_duration(took)
                          + " after the failure",
                      {{"type", "recovered"},
                       {"attempt", v.attempt},
                       {"seconds", took.count()}}});
  }
  for (auto& event : events)
    event.text = strip_control_characters(event.text);
  return events;
}

run_event replacement_event(const std::string& title, const replica_view& pod,
                            const std::optional<k8s::time_point>& failed_at) {
  run_event event{title + ": " + pod.pod + " runs again",
                  {{"type", "recovered"}, {"pod", pod.pod}}};
  if (failed_at && pod.started) {
    auto took = time_taken(*failed_at, *pod.started);
    event.text += ", " + k8s::human_duration(took) + " after its failure";
    event.details["seconds"] = took.count();
  }
  return event;
}

} // namespace troupe::cli
