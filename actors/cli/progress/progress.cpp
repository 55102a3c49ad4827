#include "actors/cli/progress/progress.hpp"

#include "actors/admin/text/terminal_text.hpp"
#include "actors/cli/progress/exit_cause.hpp"
#include "actors/cli/progress/restart_events.hpp"
#include "k8s/json.hpp"
#include "k8s/node/base/claims.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace troupe::cli {

using actors::strip_control_characters;
using k8s::text_at;
using nlohmann::json;

namespace {

constexpr std::size_t tail_length = 10;

std::string join_reason_and_message(const std::string& reason,
                                    const std::string& message) {
  auto text = reason;
  if (!message.empty())
    text += (text.empty() ? "" : ": ") + message;
  return strip_control_characters(text);
}

/// What fits in a line: of several the last one, which a program ends with.
std::string brief_message(const std::string& message) {
  constexpr std::size_t longest = 300;
  auto end = message.find_last_not_of(" \t\r\n");
  if (end == std::string::npos)
    return {};
  auto newline = message.rfind('\n', end);
  auto begin = newline == std::string::npos ? 0 : newline + 1;
  return k8s::shorten_text(message.substr(begin, end + 1 - begin), longest);
}

/// "" unless it is the exit code alone that can tell.
std::string likely_cause_if_only_exit_code(const replica_view& v) {
  bool says_more = !v.start_error.empty() || !v.message.empty()
                   || !(v.reason.empty() || v.reason == "Error");
  return says_more ? "" : likely_exit_cause(v.exit_code.value_or(0));
}

json replica_details_json(const replica_view& v) {
  json details{{"type", "replica"},      {"pod", v.pod},
               {"replica", v.slot},      {"phase", v.phase},
               {"restarts", v.restarts}, {"reason", v.reason},
               {"message", v.message}};
  if (v.exit_code)
    details["exitCode"] = *v.exit_code;
  return details;
}

} // namespace

std::string describe_replica(const replica_view& v) {
  auto text = v.phase;
  if (v.phase == "Stopped")
    return text;
  bool ended = v.phase == "Failed" || v.phase == "Succeeded";
  if (v.exit_code && (ended || v.restarts > 0))
    text += ended ? ", exit code " + std::to_string(*v.exit_code)
                  : ", after exit code " + std::to_string(*v.exit_code);
  // "Error" is all that a plain non-zero exit has to say.
  if (!v.reason.empty() && !(v.reason == "Error" && v.message.empty()))
    text += " (" + join_reason_and_message(v.reason, brief_message(v.message))
            + ")";
  if (v.restarts > 0)
    text += v.restarts == 1 ? ", 1 restart"
                            : ", " + std::to_string(v.restarts) + " restarts";
  return text;
}

progress::progress(std::string kind, std::string ns, std::string name)
    : kind_(std::move(kind))
    , ns_(std::move(ns))
    , name_(std::move(name)) {
  // nop
}

run_event progress::job_state_event() const {
  auto message = strip_control_characters(job_.message);
  return {kind_ + " " + name_ + ": " + job_.state
              + (message.empty() ? "" : " (" + message + ")"),
          {{"type", "job"},
           {"state", job_.state},
           {"reason", job_.reason},
           {"message", job_.message}}};
}

run_events progress::record_job(const json& job) {
  auto next = parse_job_view(job);
  bool same = next.state == job_.state && next.reason == job_.reason
              && next.message == job_.message;
  auto before = std::exchange(job_, std::move(next));
  run_events events;
  if (!same && !job_.state.empty())
    events.push_back(job_state_event());
  for (auto& event : restart_events(title(), before, job_))
    events.push_back(std::move(event));
  add_training_event(events, before.training);
  return events;
}

void progress::add_training_event(run_events& to,
                                  const training_view& before) const {
  const auto& now = job_.training;
  if (now.time.empty()
      || (now.time == before.time && now.percent == before.percent))
    return;
  json details{{"type", "progress"}, {"time", now.time}, {"pod", now.source}};
  if (now.percent)
    details["percent"] = *now.percent;
  if (now.remaining_seconds)
    details["estimatedRemainingSeconds"] = *now.remaining_seconds;
  for (const auto& [name, value] : now.metrics)
    details["metrics"][name] = value;
  to.push_back({strip_control_characters(kind_ + " " + name_ + ": "
                                         + describe_training(now)),
                std::move(details)});
}

run_events progress::record_job_deleted() {
  if (job_.end != job_end::open)
    return {};
  job_.end = job_end::deleted;
  return {{kind_ + " " + name_ + ": deleted",
           {{"type", "job"}, {"state", "Deleted"}}}};
}

run_events progress::record_pod(const json& pod) {
  auto next = parse_replica_view(pod);
  auto old = pods_.find(next.uid);
  // Its deletion has not ended it.
  if (old != pods_.end() && old->second.phase == "Failed"
      && next.phase == "Stopped")
    next.phase = "Failed";
  auto text = describe_replica(next);
  bool same = old != pods_.end() && describe_replica(old->second) == text;
  // A pod that ends late must not hide the one that came after it.
  auto& last = last_[next.slot];
  if (last.uid == next.uid || pods_.count(last.uid) == 0
      || next.phase != "Ending")
    last = next;
  run_events events;
  if (!same)
    events.push_back({next.pod + ": " + text, replica_details_json(next)});
  add_replacement_event(events, next);
  pods_[next.uid] = std::move(next);
  return events;
}

/// Pods of a new attempt replace all those of the one before.
void progress::add_replacement_event(run_events& to, const replica_view& pod) {
  if (pod.phase == "Failed")
    failed_[pod.slot] = pod;
  auto before = failed_.find(pod.slot);
  if (pod.phase != "Running" || before == failed_.end()
      || before->second.uid == pod.uid)
    return;
  auto failed = std::move(before->second);
  failed_.erase(before);
  if (failed.attempt != pod.attempt)
    return;
  ++replaced_;
  to.push_back(replacement_event(title(), pod, failed.ended));
}

run_events progress::record_pod_deleted(const json& pod) {
  auto old = pods_.find(text_at(pod, {"metadata", "uid"}));
  if (old == pods_.end())
    return {};
  auto details = replica_details_json(old->second);
  details["phase"] = "Gone";
  run_event event{old->second.pod + ": gone", std::move(details)};
  const auto& phase = old->second.phase;
  bool over = phase == "Succeeded" || phase == "Failed" || phase == "Stopped";
  pods_.erase(old);
  if (over)
    return {};
  return {std::move(event)};
}

bool is_warning(const run_event& e) {
  return text_at(e.details, {"type"}) == "warning";
}

run_events progress::record_warning_or_claim_event(const json& event) {
  const auto& reason = text_at(event, {"reason"});
  const auto& message = text_at(event, {"message"});
  bool warns = text_at(event, {"type"}) == "Warning";
  if (!warns && reason != k8s::node::claim_event_reason)
    return {};
  auto about = text_at(event, {"involvedObject", "name"});
  if (about != name_ && about.rfind(name_ + "-", 0) != 0)
    return {};
  if (!warns) {
    auto text = strip_control_characters(about + ": " + message);
    return {{text, {{"type", "message"}, {"text", text}}}};
  }
  // The job's condition has been told.
  if (about == name_
      && (reason == kind_ + "Restarting"
          || (!message.empty() && message == job_.message)))
    return {};
  auto line = "warning, " + strip_control_characters(about) + ": "
              + join_reason_and_message(reason, message);
  auto& events = warnings_[line];
  bool is_new = events.empty();
  events[text_at(event, {"metadata", "uid"})] =
      std::max<std::int64_t>(1, k8s::number_at(event, {"count"}));
  if (!is_new)
    return {};
  return {{line,
           {{"type", "warning"},
            {"object", about},
            {"reason", reason},
            {"message", message}}}};
}

bool progress::has_permanent_start_error() const {
  return std::any_of(last_.begin(), last_.end(), [](const auto& slot) {
    return !slot.second.start_error.empty();
  });
}

void progress::remember_last_log_line(const std::string& slot,
                                      const std::string& line) {
  auto& tail = tails_[slot];
  if (tail.size() == tail_length)
    tail.erase(tail.begin());
  tail.push_back(strip_control_characters(line));
}

std::vector<replica_view> progress::replicas() const {
  std::vector<replica_view> all;
  for (const auto& [uid, v] : pods_)
    all.push_back(v);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.type, a.index, a.pod, a.uid)
           < std::tie(b.type, b.index, b.pod, b.uid);
  });
  return all;
}

std::string progress::outcome_text() const {
  if (job_.end == job_end::succeeded)
    return "succeeded";
  if (job_.end == job_end::failed)
    return "failed";
  if (has_permanent_start_error())
    return "cannot run as it is";
  return job_.end == job_end::deleted ? "was deleted" : "has not ended";
}

bool progress::contributed_to_failure(const replica_view& v) {
  return v.phase == "Failed"
         || (v.exit_code && *v.exit_code != 0 && v.phase != "Stopped")
         || (v.phase == "Pending" && !v.reason.empty())
         || !v.start_error.empty();
}

json progress::result_json(k8s::time_point now, const std::string& logs) const {
  json out{{"type", "result"},          {"kind", kind_},
           {"namespace", ns_},          {"name", name_},
           {"verdict", outcome_text()}, {"reason", job_.reason},
           {"message", job_.message},   {"replicas", last_.size()},
           {"failures", json::array()}};
  if (job_.attempt.attempt > 0)
    out["restarts"] = job_.attempt.attempt;
  if (replaced_ > 0)
    out["replacedPods"] = replaced_;
  if (job_.started)
    out["seconds"] =
        std::chrono::duration<double>(job_.ended.value_or(now) - *job_.started)
            .count();
  if (!logs.empty())
    out["logs"] = logs;
  if (job_.end == job_end::succeeded)
    return out;
  for (const auto& [slot, v] : last_) {
    if (!contributed_to_failure(v))
      continue;
    auto failure = replica_details_json(v);
    failure.erase("type");
    if (!v.start_error.empty())
      failure["message"] = v.start_error;
    if (auto cause = likely_cause_if_only_exit_code(v); !cause.empty())
      failure["likelyCause"] = cause;
    if (auto tail = tails_.find(slot); tail != tails_.end())
      failure["lastLines"] = tail->second;
    out["failures"].push_back(std::move(failure));
  }
  return out;
}

std::vector<std::string>
progress::summary_lines(k8s::time_point now, const std::string& logs) const {
  using std::chrono::duration_cast;
  using std::chrono::seconds;
  std::vector<std::string> lines;
  auto count = std::to_string(last_.size())
               + (last_.size() == 1 ? " replica" : " replicas");
  auto line = kind_ + " " + ns_ + "/" + name_ + " " + outcome_text();
  if (job_.started)
    line += " after "
            + k8s::human_duration(duration_cast<seconds>(
                job_.ended.value_or(now) - *job_.started));
  line += ", " + count;
  if (auto n = job_.attempt.attempt; n > 0)
    line += n == 1 ? ", restarted once"
                   : ", restarted " + std::to_string(n) + " times";
  if (replaced_ > 0)
    line += replaced_ == 1
                ? ", one failed pod made again"
                : ", " + std::to_string(replaced_) + " failed pods made again";
  lines.push_back(std::move(line));
  if (job_.end == job_end::failed)
    lines.push_back("  " + join_reason_and_message(job_.reason, job_.message));
  if (job_.end == job_end::succeeded)
    return lines;
  for (const auto& [slot, v] : last_) {
    if (!contributed_to_failure(v))
      continue;
    lines.push_back("  " + v.pod + ": "
                    + (v.start_error.empty()
                           ? describe_replica(v)
                           : strip_control_characters(v.start_error)));
    if (auto cause = likely_cause_if_only_exit_code(v); !cause.empty())
      lines.push_back("    likely cause: " + cause);
    if (auto tail = tails_.find(slot); tail != tails_.end())
      for (const auto& said : tail->second)
        lines.push_back("    | " + said);
  }
  for (const auto& [warning, events] : warnings_) {
    std::int64_t times = 0;
    for (const auto& [uid, seen] : events)
      times += seen;
    if (times > 1)
      lines.push_back("  " + warning + " (" + std::to_string(times)
                      + " times)");
  }
  if (!logs.empty())
    lines.push_back("Whole logs: " + logs);
  return lines;
}

int exit_code(job_end end) {
  return end == job_end::succeeded ? 0 : 1;
}

} // namespace troupe::cli
