#include "actors/admin/text/explain_text.hpp"

#include "actors/admin/text/report_text.hpp"
#include "actors/admin/text/terminal_text.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace troupe::actors {

using k8s::array_at;
using k8s::bool_at;
using k8s::find_value;
using k8s::int64_at;
using k8s::number_at;
using k8s::text_at;
using k8s::value_at;
using nlohmann::json;

namespace {

using lines = std::vector<std::string>;

/// With more pods, those that are well are only counted.
constexpr std::size_t most_pods_listed = 20;

/// Decisions are shown from the newest backwards.
constexpr std::size_t most_decisions = 15;

/// "3m07s ago", "" if the time is not known.
std::string time_ago_text(const json& report, const json& row,
                          k8s::key_path path) {
  auto age = human_duration_between(row, path, report, {"at"});
  return age ? *age + " ago" : std::string{};
}

/// Without what the line about the wait says, too.
std::string heading_summary(const json& report) {
  auto summary = text_at(report, {"summary"});
  auto said = ": " + text_at(report, {"waitingFor", "details"});
  if (said.size() > 2 && summary.size() > said.size()
      && summary.compare(summary.size() - said.size(), said.size(), said) == 0)
    summary.resize(summary.size() - said.size());
  return summary;
}

void add_heading(lines& out, const json& report) {
  auto summary = heading_summary(report);
  out.push_back(strip_control_characters(
      text_at(report, {"kind"}) + " " + text_at(report, {"namespace"}) + "/"
      + text_at(report, {"name"}) + ": "
      + (summary.empty() ? "nothing is known yet" : summary)));
  if (find_value(report, {"waitingFor"}))
    out.push_back(strip_control_characters(
        "Waiting for: " + text_at(report, {"waitingFor", "text"})
        + " (whose move: " + text_at(report, {"waitingFor", "who"}) + ")"));
  if (auto why = text_at(report, {"notQueued"}); !why.empty())
    out.push_back(strip_control_characters(why));
  std::string life;
  auto add = [&](const char* word, const std::string& when) {
    if (!when.empty())
      life += (life.empty() ? "" : ", ") + std::string{word} + " " + when;
  };
  add("created", time_ago_text(report, report, {"created"}));
  add("started", time_ago_text(report, report, {"status", "startTime"}));
  add("ended", time_ago_text(report, report, {"status", "completionTime"}));
  if (!life.empty()) {
    life[0] = static_cast<char>(life[0] - 'a' + 'A');
    out.push_back(life + ".");
  }
  if (auto left =
          human_duration_between(report, {"at"}, report, {"activeDeadlineAt"}))
    out.push_back("It fails in " + *left
                  + " if it has not ended by then (activeDeadlineSeconds).");
}

/// "because of pod ddp-worker-3 on node n7 (OOMKilled)".
std::string restart_cause_text(const json& restart) {
  auto pod = text_at(restart, {"pod"});
  auto node = text_at(restart, {"node"});
  auto reason = text_at(restart, {"reason"});
  return (pod.empty() ? "" : " because of pod " + pod)
         + (node.empty() ? "" : " on node " + node)
         + (reason.empty() ? "" : " (" + reason + ")");
}

std::string restart_state_text(const json& restart) {
  auto took = human_duration_text(seconds_at_or_zero(restart, "seconds"));
  if (find_value(restart, {"recovered"}))
    return "all replicas ran again after " + took;
  auto stage = text_at(restart, {"stage"});
  if (stage.empty()) // The job has ended.
    return "its replicas did not all run again";
  auto progress = text_at(restart, {"progress"});
  return "the recovery has taken " + took + " so far: "
         + (progress.empty() ? "its pods are starting" : progress);
}

void add_restart_budget(lines& out, const json& report) {
  auto most = int64_at(report, {"failurePolicy", "maxRestarts"});
  const char* by = "";
  if (!most) {
    most = int64_at(report, {"failurePolicy", "backoffLimit"});
    by = " by backoffLimit, those of single pods, too";
  }
  if (!most)
    return;
  auto window = text_at(report, {"failurePolicy", "window"});
  out.push_back(
      "Restarts that count: "
      + std::to_string(number_at(report, {"failurePolicy", "counted"}))
      + ", at most " + std::to_string(*most) + by
      + (window.empty() ? "" : " within " + strip_control_characters(window))
      + ".");
}

void add_goodput(lines& out, const json& report) {
  const auto& times = value_at(report, {"goodput"});
  auto ran = seconds_at_or_zero(times, "allRunningSeconds");
  auto lost = seconds_at_or_zero(times, "lostSeconds");
  if (ran + lost < 1)
    return;
  out.push_back("All replicas ran "
                + std::to_string(static_cast<int>(100 * ran / (ran + lost)))
                + "% of " + human_duration_text(ran + lost)
                + ", as far as this operator has seen it.");
}

void add_policy_errors(lines& out, const json& report) {
  const auto& all = array_at(report, {"policyErrors"});
  if (all.empty())
    return;
  out.push_back("Wrong in its policies, and left out; the rest of them holds:");
  for (const auto& e : all)
    out.push_back("  "
                  + strip_control_characters(text_at(e, {"field"}) + ": "
                                             + text_at(e, {"text"})));
}

/// Restarts of the whole job, or of its replica types.
void add_restarts(lines& out, const json& report) {
  if (const auto& restart = value_at(report, {"restart"});
      restart.is_object()) {
    auto types = text_at(restart, {"types"});
    out.push_back(strip_control_characters(
        "Attempt " + std::to_string(number_at(restart, {"attempt"}))
        + (types.empty() ? "" : " of " + types) + " began "
        + time_ago_text(report, restart, {"at"}) + restart_cause_text(restart)
        + "; " + restart_state_text(restart) + "."));
    add_restart_budget(out, report);
    add_goodput(out, report);
  }
  if (auto n = number_at(report, {"podsMadeBeforePolicy"}); n > 0)
    out.push_back(pluralize(n, "pod") + (n == 1 ? " was" : " were")
                  + " made before the failure policy and "
                  + (n == 1 ? "is" : "are")
                  + " restarted by the kubelet: there only the failure of the "
                    "pod itself counts.");
}

void add_replicas(lines& out, const json& report) {
  const auto& replicas = value_at(report, {"replicas"});
  if (!replicas.is_object() || replicas.empty())
    return;
  out.push_back("Replicas:");
  for (const auto& entry : replicas.items()) {
    const std::string& type = entry.key();
    const auto& all = array_at(report, {"pods"});
    auto there = std::count_if(all.begin(), all.end(), [&](const json& p) {
      return text_at(p, {"type"}) == k8s::lower_case(type);
    });
    const auto& counts = value_at(report, {"replicaCounts", type.c_str()});
    auto line = "  " + pad_right(strip_control_characters(type), 10) + " "
                + std::to_string(number_at(entry.value(), {})) + " wanted, "
                + std::to_string(there) + " there";
    auto add = [&](const char* key, const char* word) {
      if (auto n = number_at(counts, {key}); n > 0)
        line += ", " + std::to_string(n) + " " + word;
    };
    add("active", "running");
    add("succeeded", "succeeded");
    add("failed", "failed");
    out.push_back(line);
  }
}

void add_conditions(lines& out, const json& report) {
  const auto& all = array_at(report, {"status", "conditions"});
  if (all.empty())
    return;
  out.push_back("Conditions, oldest first:");
  for (const auto& c : all)
    out.push_back(
        "  " + pad_right(strip_control_characters(text_at(c, {"type"})), 11)
        + pad_right(strip_control_characters(text_at(c, {"status"})), 6)
        + pad_right(time_ago_text(report, c, {"lastTransitionTime"}), 12)
        + strip_control_characters(text_at(c, {"reason"}) + ": "
                                   + text_at(c, {"message"})));
}

bool is_pod_healthy(const json& pod) {
  auto phase = text_at(pod, {"phase"});
  return (phase == "Running" || phase == "Succeeded")
         && number_at(pod, {"restarts"}) == 0
         && value_at(pod, {"trouble"}).is_null()
         && !bool_at(pod, {"terminating"});
}

std::string format_pod_line(const json& p) {
  auto line = pad_right(text_at(p, {"name"}), 24) + " " + text_at(p, {"phase"});
  if (auto code = int64_at(p, {"exitCode"}))
    line += " with exit code " + std::to_string(*code);
  if (auto n = number_at(p, {"restarts"}); n > 0)
    line += ", its containers were restarted " + once_or_n_times(n);
  if (bool_at(p, {"terminating"}))
    line += ", is being deleted";
  if (auto trouble = text_at(p, {"trouble"}); !trouble.empty())
    line += "; " + trouble;
  return strip_control_characters(line);
}

void add_pods(lines& out, const json& report) {
  std::vector<const json*> all;
  for (const auto& p : array_at(report, {"pods"}))
    if (p.is_object())
      all.push_back(&p);
  if (all.empty()) {
    out.push_back("Pods: none");
    return;
  }
  // The report has them by UID.
  auto order = [](const json* p) {
    return std::tuple{text_at(*p, {"type"}), number_at(*p, {"index"}),
                      text_at(*p, {"name"})};
  };
  std::sort(all.begin(), all.end(),
            [&](const json* a, const json* b) { return order(a) < order(b); });
  out.push_back("Pods:");
  std::map<std::string, std::int64_t> unlisted;
  for (const auto* p : all)
    if (all.size() > most_pods_listed && is_pod_healthy(*p))
      ++unlisted[text_at(*p, {"phase"})];
    else
      out.push_back("  " + format_pod_line(*p));
  for (const auto& [phase, n] : unlisted)
    out.push_back("  " + pluralize(n, "pod") + " "
                  + (phase == "Running" ? n == 1 ? "runs" : "run"
                     : n == 1           ? "has succeeded"
                                        : "have succeeded"));
}

std::string format_expectation(const json& e) {
  auto line = text_at(e, {"text"});
  auto refusals = number_at(e, {"attempts"});
  if (find_value(e, {"heldForSeconds"}))
    line += ", refused " + once_or_n_times(std::max<std::int64_t>(refusals, 1))
            + "; tried again in "
            + human_duration_text(seconds_at_or_zero(e, "heldForSeconds"));
  else
    line += ", asked for "
            + human_duration_text(seconds_at_or_zero(e, "ageSeconds")) + " ago"
            + (refusals > 0 ? " after " + pluralize(refusals, "refusal") : "");
  return strip_control_characters(line);
}

void add_pending_operations(lines& out, const json& report) {
  lines waits;
  for (const auto& e : array_at(report, {"expectations"}))
    waits.push_back(format_expectation(e));
  const auto& status = value_at(report, {"statusWriter"});
  if (auto n = number_at(status, {"failuresInARow"}); n > 0)
    waits.push_back(
        "the write of its status, which has failed " + once_or_n_times(n) + ": "
        + strip_control_characters(text_at(status, {"lastFailure"})));
  else if (bool_at(status, {"writeUnderWay"}))
    waits.push_back("the answer to the write of its status");
  if (!waits.empty()) {
    out.push_back("Calls of the operator:");
    for (const auto& w : waits)
      out.push_back("  " + w);
  }
  for (const auto& t : array_at(report, {"timers"}))
    out.push_back("It looks again in "
                  + human_duration_text(seconds_at_or_zero(t, "inSeconds"))
                  + ", or as soon as something changes.");
}

void add_latest_decisions(lines& out, const json& report) {
  const auto& all = array_at(report, {"lastDecisions"});
  if (all.empty())
    return;
  out.push_back("Last decisions, newest first:");
  std::size_t n = 0;
  for (auto i = all.rbegin(); i != all.rend() && n < most_decisions; ++i, ++n)
    out.push_back("  " + pad_right(time_ago_text(report, *i, {"at"}), 12)
                  + strip_control_characters(text_at(*i, {"what"})));
}

void add_log_rules(lines& out, const json& report) {
  auto pod = text_at(report, {"log", "pod"});
  auto problem = text_at(report, {"log", "problem"});
  if (!problem.empty())
    out.push_back(strip_control_characters(
        "Its log rules are not applied"
        + (pod.empty() ? "" : " to the log of " + pod) + ": " + problem));
  else if (!pod.empty())
    out.push_back("Its log rules read the log of " + pod + ", container "
                  + text_at(report, {"log", "container"}) + ".");
}

} // namespace

lines explain_report_lines(const json& report) {
  lines out;
  add_heading(out, report);
  add_policy_errors(out, report);
  add_restarts(out, report);
  add_replicas(out, report);
  add_conditions(out, report);
  add_log_rules(out, report);
  add_pods(out, report);
  add_pending_operations(out, report);
  add_latest_decisions(out, report);
  return out;
}

} // namespace troupe::actors
