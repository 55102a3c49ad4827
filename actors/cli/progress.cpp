#include "actors/cli/progress.hpp"

#include "actors/admin/terminal_text.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::cli {

using actors::pad_right;
using actors::shorten;
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

/// "Failed, exit code 3 (Error: ...), 2 restarts".
std::string describe(const replica_view& v) {
  auto text = v.phase;
  bool ended = v.phase == "Failed" || v.phase == "Succeeded";
  if (v.exit_code && (ended || v.restarts > 0))
    text += ended ? ", exit code " + std::to_string(*v.exit_code)
                  : ", after exit code " + std::to_string(*v.exit_code);
  // "Error" is all that a plain non-zero exit has to say.
  if (!v.reason.empty() && !(v.reason == "Error" && v.message.empty()))
    text += " (" + join_reason_and_message(v.reason, v.message) + ")";
  if (v.restarts > 0)
    text += v.restarts == 1 ? ", 1 restart"
                            : ", " + std::to_string(v.restarts) + " restarts";
  return text;
}

} // namespace

progress::progress(std::string kind, std::string ns, std::string name)
    : kind_(std::move(kind))
    , ns_(std::move(ns))
    , name_(std::move(name)) {
  // nop
}

std::vector<std::string> progress::job_seen(const json& job) {
  auto next = read_job(job);
  bool same = next.state == job_.state && next.reason == job_.reason
              && next.message == job_.message;
  job_ = std::move(next);
  if (same || job_.state.empty())
    return {};
  return {kind_ + " " + name_ + ": " + job_.state
          + (job_.message.empty()
                 ? ""
                 : " (" + strip_control_characters(job_.message) + ")")};
}

std::vector<std::string> progress::job_deleted() {
  if (job_.end != job_end::open)
    return {};
  job_.end = job_end::deleted;
  return {kind_ + " " + name_ + ": deleted"};
}

std::vector<std::string> progress::lines_after_pod_update(const json& pod) {
  auto next = read_replica(pod);
  auto old = pods_.find(next.uid);
  auto text = describe(next);
  bool same = old != pods_.end() && describe(old->second) == text;
  // A pod that ends late must not hide the one that came after it.
  auto& last = last_[next.slot];
  if (last.uid == next.uid || pods_.count(last.uid) == 0
      || next.phase != "Ending")
    last = next;
  auto line = next.pod + ": " + text;
  pods_[next.uid] = std::move(next);
  if (same)
    return {};
  return {line};
}

std::vector<std::string> progress::lines_after_pod_deletion(const json& pod) {
  auto old = pods_.find(text_at(pod, {"metadata", "uid"}));
  if (old == pods_.end())
    return {};
  auto line = old->second.pod + ": gone";
  bool over = old->second.phase == "Succeeded" || old->second.phase == "Failed";
  pods_.erase(old);
  if (over)
    return {};
  return {line};
}

std::vector<std::string> progress::lines_after_event(const json& event) {
  if (text_at(event, {"type"}) != "Warning")
    return {};
  auto about = text_at(event, {"involvedObject", "name"});
  if (about != name_ && about.rfind(name_ + "-", 0) != 0)
    return {};
  auto text = join_reason_and_message(text_at(event, {"reason"}),
                                      text_at(event, {"message"}));
  auto& known = events_[text_at(event, {"metadata", "uid"})];
  if (known == text)
    return {};
  known = text;
  return {"warning, " + about + ": " + text};
}

void progress::keep_log_tail_line(const std::string& slot,
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

std::vector<std::string> progress::table(k8s::time_point now, std::size_t width,
                                         std::size_t height) const {
  std::vector<std::string> lines;
  if (height == 0)
    return lines;
  auto all = replicas();
  std::map<std::string, int> phases;
  for (const auto& v : all)
    ++phases[v.phase];
  auto head =
      kind_ + " " + name_ + "  " + (job_.state.empty() ? "new" : job_.state);
  for (const auto& [phase, count] : phases)
    head += "  " + std::to_string(count) + " " + phase;
  lines.push_back(shorten(head, width));
  std::size_t longest = 0;
  for (const auto& v : all)
    longest = std::max(longest, v.slot.size());
  // What does not fit is in the counts of the head.
  for (const auto& v : all) {
    if (lines.size() == height)
      break;
    if (lines.size() + 1 == height && all.size() + 1 > height) {
      lines.push_back(shorten(
          "  and " + std::to_string(all.size() + 2 - height) + " more", width));
      break;
    }
    std::string time = "-";
    if (v.started)
      time =
          k8s::human_duration(std::chrono::duration_cast<std::chrono::seconds>(
              v.ended.value_or(now) - *v.started));
    lines.push_back(shorten("  " + pad_right(v.slot, longest) + "  "
                                + pad_right(time, 6) + "  " + describe(v),
                            width));
  }
  return lines;
}

std::vector<std::string> progress::summary(k8s::time_point now,
                                           const std::string& logs) const {
  using std::chrono::duration_cast;
  using std::chrono::seconds;
  std::vector<std::string> lines;
  auto count = std::to_string(last_.size())
               + (last_.size() == 1 ? " replica" : " replicas");
  std::string verdict = job_.end == job_end::succeeded ? "succeeded"
                        : job_.end == job_end::failed  ? "failed"
                        : job_.end == job_end::deleted ? "was deleted"
                                                       : "has not ended";
  auto line = kind_ + " " + ns_ + "/" + name_ + " " + verdict;
  if (job_.started)
    line += " after "
            + k8s::human_duration(duration_cast<seconds>(
                job_.ended.value_or(now) - *job_.started));
  lines.push_back(line + ", " + count);
  if (job_.end == job_end::failed)
    lines.push_back("  " + join_reason_and_message(job_.reason, job_.message));
  if (job_.end == job_end::succeeded)
    return lines;
  for (const auto& [slot, v] : last_) {
    bool bad = v.phase == "Failed" || (v.exit_code && *v.exit_code != 0)
               || (v.phase == "Pending" && !v.reason.empty());
    if (!bad)
      continue;
    lines.push_back("  " + v.pod + ": " + describe(v));
    if (auto tail = tails_.find(slot); tail != tails_.end())
      for (const auto& said : tail->second)
        lines.push_back("    | " + said);
  }
  if (!logs.empty())
    lines.push_back("Whole logs: " + logs);
  return lines;
}

int exit_code(job_end end) {
  return end == job_end::succeeded ? 0 : 1;
}

} // namespace troupe::cli
