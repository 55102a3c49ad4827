#include "tests/simulation/replica_types/recovery_rules.hpp"

#include "tests/simulation/invariants.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace troupe::simulation {

namespace {

constexpr const char* failure_annotation =
    "training.kubeflow.org/failure-policy";
constexpr const char* progress_annotation = "training.kubeflow.org/progress";
constexpr const char* success_annotation =
    "training.kubeflow.org/success-policy";

const json& annotation(const json& job, const char* name) {
  return at(job, "metadata", "annotations", name);
}

bool list_has(const json& list, const json& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

std::set<std::string> labels_of(const json& types) {
  std::set<std::string> result;
  for (const auto& t : types)
    result.insert(lower(t.get<std::string>()));
  return result;
}

/// Of the container that has ended, or null.
const json& end_of_container(const json& pod_status) {
  static const json null;
  const auto& all = at(pod_status, "containerStatuses");
  return all.is_array() && !all.empty() ? at(all[0], "state", "terminated")
                                        : null;
}

failure_matcher read_rule(const json& r, std::size_t index) {
  failure_matcher m;
  m.name = text(at(r, "name"));
  if (m.name.empty())
    m.name = "rules[" + std::to_string(index) + "]";
  m.action = text(at(r, "action"));
  m.types = labels_of(at(r, "targetReplicaTypes"));
  m.codes = at(r, "onExitCodes");
  m.conditions = at(r, "onPodConditions");
  m.reasons = at(r, "onReasons");
  m.message = text(at(r, "onMessagePattern"));
  return m;
}

/// "90s", "5m", "1h".
int seconds_of_duration(const std::string& s) {
  int n = std::stoi(s);
  return s.back() == 'h' ? n * 3600 : s.back() == 'm' ? n * 60 : n;
}

/// The field, or the content of the annotation.
json written_policy(const json& job, const char* field, const char* name) {
  const auto& in_spec = at(job, "spec", "runPolicy", field);
  const auto& noted = annotation(job, name);
  return !in_spec.is_null() || noted.is_null() ? in_spec
                                               : json::parse(text(noted));
}

std::set<int> indices_of(const std::string& ranges) {
  std::set<int> result;
  std::istringstream in{ranges};
  for (std::string part; std::getline(in, part, ',');) {
    auto dash = part.find('-');
    int first = std::stoi(part);
    int last =
        dash == std::string::npos ? first : std::stoi(part.substr(dash + 1));
    for (int i = first; i <= last; ++i)
      result.insert(i);
  }
  return result;
}

} // namespace

std::string lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return s;
}

bool failure_matcher::matches(const std::string& type,
                              const json& pod_status) const {
  if (!types.empty() && types.count(type) == 0)
    return false;
  const auto& end = end_of_container(pod_status);
  auto code = at(end, "exitCode");
  bool failed = code.is_number_integer() && code != 0;
  if (!codes.is_null()
      && (!failed
          || list_has(at(codes, "values"), code)
                 != (text(at(codes, "operator")) == "In")))
    return false;
  const auto& there = at(pod_status, "conditions");
  auto is_there = [&](const json& wanted) {
    return std::any_of(there.begin(), there.end(), [&](const json& c) {
      return at(c, "type") == at(wanted, "type")
             && text(at(c, "status")) == "True";
    });
  };
  if (!conditions.is_null()
      && std::none_of(conditions.begin(), conditions.end(), is_there))
    return false;
  auto has_reason = [&](const json& object) {
    return !text(at(object, "reason")).empty()
           && list_has(reasons, at(object, "reason"));
  };
  if (!reasons.is_null() && !has_reason(pod_status)
      && !(failed && has_reason(end))
      && std::none_of(there.begin(), there.end(), has_reason))
    return false;
  return message.empty()
         || text(at(pod_status, "message")).find(message) != std::string::npos
         || text(at(end, "message")).find(message) != std::string::npos;
}

bool recovery_policy::restarts_more_than_pods() const {
  return scope != "Pod" || on_stalled == "RestartJob"
         || std::any_of(rules.begin(), rules.end(), [](const auto& r) {
              return r.action == "RestartJob"
                     || r.action == "RestartReplicaType";
            });
}

const failure_matcher*
recovery_policy::find_rule(const std::string& type,
                           const json& pod_status) const {
  for (const auto& r : rules)
    if (r.matches(type, pod_status))
      return &r;
  return nullptr;
}

recovery_policy read_recovery_policy(const json& job) {
  recovery_policy p;
  auto failure = written_policy(job, "failurePolicy", failure_annotation);
  p.present = failure.is_object();
  if (const auto& scope = text(at(failure, "restartScope")); !scope.empty())
    p.scope = scope;
  if (at(failure, "maxRestarts").is_number_integer())
    p.max_restarts = number(at(failure, "maxRestarts"));
  if (const auto& window = text(at(failure, "restartWindow")); !window.empty())
    p.window = seconds_of_duration(window);
  const auto& rules = at(failure, "rules");
  for (std::size_t i = 0; i < rules.size(); ++i)
    p.rules.push_back(read_rule(rules[i], i));
  auto progress = written_policy(job, "progress", progress_annotation);
  if (const auto& after = text(at(progress, "stalledAfter")); !after.empty()) {
    p.least_silence = seconds_of_duration(after);
    if (const auto& first = text(at(progress, "startWithin")); !first.empty())
      p.least_silence = std::min(*p.least_silence, seconds_of_duration(first));
    if (const auto& then = text(at(progress, "onStalled")); !then.empty())
      p.on_stalled = then;
    if (p.on_stalled == "RestartJob" && !std::exchange(p.present, true))
      p.max_restarts = 3;
  }
  auto success = written_policy(job, "successPolicy", success_annotation);
  p.success_types = labels_of(at(success, "targetReplicaTypes"));
  p.any_succeeds = text(at(success, "operator")) == "Any";
  p.has_own_success = p.any_succeeds || !p.success_types.empty();
  const auto& policy = at(job, "spec", "runPolicy");
  p.twice = (policy.contains("failurePolicy")
             && !annotation(job, failure_annotation).is_null())
            || (policy.contains("successPolicy")
                && !annotation(job, success_annotation).is_null())
            || (policy.contains("progress")
                && !annotation(job, progress_annotation).is_null());
  return p;
}

json policies_of(const json& job) {
  return {annotation(job, failure_annotation),
          annotation(job, success_annotation),
          annotation(job, progress_annotation)};
}

saved_attempts read_attempts_of_status(const json& status) {
  saved_attempts s;
  s.attempt = number(at(status, "restartAttempt"));
  s.counted = number(at(status, "countedRestarts"));
  for (const auto& t : at(status, "restartTimes"))
    s.times.push_back(seconds_of(t));
  const auto& last = at(status, "lastRestart");
  s.began = seconds_of(at(last, "time"));
  s.early_ends = number(at(last, "earlyEnds"));
  s.pod = text(at(last, "pod"));
  s.reason = text(at(last, "reason"));
  std::istringstream types{text(at(last, "type"))};
  for (std::string type; std::getline(types, type, ',');)
    s.restarted.insert(lower(type));
  const auto& all = at(status, "replicaStatuses");
  if (all.is_object())
    for (const auto& [type, counts] : all.items()) {
      if (at(counts, "restartAttempt").is_number_integer())
        s.of_types[lower(type)] = number(at(counts, "restartAttempt"));
      if (const auto& done = text(at(counts, "completedIndexes"));
          !done.empty())
        s.completed[lower(type)] = indices_of(done);
    }
  return s;
}

saved_attempts read_attempts(const json& job) {
  auto result = read_attempts_of_status(at(job, "status"));
  const auto& noted = annotation(job, "training.kubeflow.org/recovery");
  if (noted.is_null())
    return result;
  auto also = read_attempts_of_status(json::parse(text(noted)));
  if (result.attempt == 0 && also.attempt >= result.attempt)
    result = also;
  if (finished(job))
    result.completed.clear();
  return result;
}

} // namespace troupe::simulation
