#include "k8s/apiserver/resources/job_failure_rules.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"

#include <algorithm>
#include <set>

namespace troupe::k8s::apiserver {

namespace {

constexpr std::size_t most_rules = 20;
constexpr std::size_t most_patterns = 20;
constexpr std::size_t most_exit_codes = 255;

field_error too_many(const std::string& path, std::size_t count,
                     std::size_t most) {
  return {path, "FieldValueTooMany",
          "Too many: " + std::to_string(count) + ": must have at most "
              + std::to_string(most) + " items"};
}

void validate_exit_code_values(const json& required, const std::string& path,
                               field_errors& out) {
  const auto& values = array_at(required, {"values"});
  if (values.empty())
    out.push_back(
        invalid_value(path, values, "at least one value is required"));
  if (values.size() > most_exit_codes) {
    out.push_back(too_many(path, values.size(), most_exit_codes));
    return;
  }
  std::set<json> seen;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto here = path + "[" + std::to_string(i) + "]";
    if (text_at(required, {"operator"}) == "In" && values[i] == 0)
      out.push_back(
          invalid_value(here, values[i], "must not be 0 for the In operator"));
    if (!seen.insert(values[i]).second)
      out.push_back(duplicate_value(here, values[i]));
  }
  if (!std::is_sorted(values.begin(), values.end()))
    out.push_back(invalid_value(path, values, "must be ordered"));
}

void validate_exit_codes(const json& required,
                         const std::set<std::string>& containers,
                         const std::string& path, field_errors& out) {
  const auto& op = text_at(required, {"operator"});
  if (op.empty())
    out.push_back(
        required_value(path + ".operator", R"(valid values: ["In" "NotIn"])"));
  else if (op != "In" && op != "NotIn")
    out.push_back(unsupported_value(path + ".operator", op, {"In", "NotIn"}));
  const auto& name = text_at(required, {"containerName"});
  if (find_value(required, {"containerName"}) && containers.count(name) == 0)
    out.push_back(invalid_value(path + ".containerName", name,
                                "must be one of the container or initContainer "
                                "names in the pod template"));
  validate_exit_code_values(required, path + ".values", out);
}

void validate_pod_conditions(const json& patterns, const std::string& path,
                             field_errors& out) {
  if (patterns.size() > most_patterns) {
    out.push_back(too_many(path, patterns.size(), most_patterns));
    return;
  }
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    auto here = path + "[" + std::to_string(i) + "]";
    const auto& type = text_at(patterns[i], {"type"});
    for (const auto& why : qualified_name_errors(type))
      out.push_back(invalid_value(here + ".type", type, why));
    const auto& status = text_at(patterns[i], {"status"});
    if (status != "True" && status != "False" && status != "Unknown")
      out.push_back(unsupported_value(here + ".status", status,
                                      {"False", "True", "Unknown"}));
  }
}

void validate_action(const json& rule, const std::string& path,
                     field_errors& out) {
  const auto& action = text_at(rule, {"action"});
  if (action.empty())
    out.push_back(required_value(
        path, R"(valid values: ["Count" "FailIndex" "FailJob" "Ignore"])"));
  else if (action == "FailIndex")
    out.push_back(invalid_value(path, action,
                                "requires the backoffLimitPerIndex to be set"));
  else if (action != "Count" && action != "FailJob" && action != "Ignore")
    out.push_back(unsupported_value(
        path, action, {"Count", "FailIndex", "FailJob", "Ignore"}));
}

void validate_rule(const json& rule, const std::set<std::string>& containers,
                   const std::string& path, field_errors& out) {
  validate_action(rule, path + ".action", out);
  auto* codes = find_value(rule, {"onExitCodes"});
  const auto& conditions = array_at(rule, {"onPodConditions"});
  if (codes)
    validate_exit_codes(*codes, containers, path + ".onExitCodes", out);
  validate_pod_conditions(conditions, path + ".onPodConditions", out);
  bool has_both = codes && !conditions.empty();
  bool has_none = !codes && conditions.empty();
  if (has_both || has_none)
    out.push_back({path, "FieldValueInvalid",
                   std::string("Invalid value: specifying ")
                       + (has_both ? "both OnExitCodes and OnPodConditions is "
                                     "not supported"
                                   : "one of OnExitCodes and OnPodConditions "
                                     "is required")});
}

} // namespace

void validate_job_failure_rules(const json& spec, field_errors& out) {
  const std::string path = "spec.podFailurePolicy.rules";
  const auto& rules = array_at(spec, {"podFailurePolicy", "rules"});
  if (rules.size() > most_rules) {
    out.push_back(too_many(path, rules.size(), most_rules));
    return;
  }
  std::set<std::string> containers;
  for (auto list : {"containers", "initContainers"})
    for (const auto& c : array_at(spec, {"template", "spec", list}))
      containers.insert(text_at(c, {"name"}));
  for (std::size_t i = 0; i < rules.size(); ++i)
    validate_rule(rules[i], containers, path + "[" + std::to_string(i) + "]",
                  out);
}

} // namespace troupe::k8s::apiserver
