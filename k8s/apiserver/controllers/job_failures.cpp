#include "k8s/apiserver/controllers/job_failures.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

bool matches_exit_code(const json& required, const std::string& container,
                       std::int64_t code) {
  const auto& name = text_at(required, {"containerName"});
  if (!name.empty() && name != container)
    return false;
  const auto& values = array_at(required, {"values"});
  bool is_listed =
      std::find(values.begin(), values.end(), code) != values.end();
  return is_listed == (text_at(required, {"operator"}) == "In");
}

/// How the pod matches the rule, as the Job's message says it; "" if it does
/// not.
std::string describe_match(const json& rule, const std::string& pod_name,
                           const job_pod& pod) {
  if (auto* required = find_value(rule, {"onExitCodes"})) {
    for (const auto& [container, code] : pod.exit_codes)
      if (matches_exit_code(*required, container, code))
        return "Container " + container + " for pod " + pod_name
               + " failed with exit code " + std::to_string(code);
    return {};
  }
  for (const auto& [type, status] : pod.conditions)
    for (const auto& pattern : array_at(rule, {"onPodConditions"}))
      if (text_at(pattern, {"type"}) == type
          && text_at(pattern, {"status"}) == status)
        return "Pod " + pod_name + " has condition " + type;
  return {};
}

} // namespace

job_failure_match match_job_failure(const json& rules, const std::string& ns,
                                    const job_pod& pod) {
  job_failure_match out;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    auto how = describe_match(rules[i], ns + "/" + pod.name, pod);
    if (how.empty())
      continue;
    const auto& action = text_at(rules[i], {"action"});
    out.is_counted = action != "Ignore";
    out.fails_job = action == "FailJob";
    if (out.fails_job)
      out.message =
          how + " matching FailJob rule at index " + std::to_string(i);
    return out;
  }
  return out;
}

} // namespace troupe::k8s::apiserver
