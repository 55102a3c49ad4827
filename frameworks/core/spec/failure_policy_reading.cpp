#include "frameworks/core/spec/failure_policy_reading.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "frameworks/core/spec/native_gang_spec.hpp"
#include "frameworks/core/spec/policy_parts.hpp"
#include "frameworks/core/spec/progress_policy_reading.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "frameworks/core/spec/volcano_policy_reading.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace troupe::core {

namespace {

constexpr std::size_t longest_name = 63;
constexpr std::size_t longest_condition_type = 316; ///< With its prefix.
constexpr std::size_t longest_reason = 128;

constexpr failure_verdict verdicts[] = {
    failure_verdict::fail_job, failure_verdict::ignore,
    failure_verdict::restart_pod, failure_verdict::restart_replica_type,
    failure_verdict::restart_job};

/// "Ready", or "example.com/Ready".
bool is_condition_type(std::string_view text) {
  auto slash = text.find('/');
  return slash == text.npos
             ? k8s::is_alphanumeric_name(text)
             : k8s::is_alphanumeric_name(text.substr(0, slash))
                   && k8s::is_alphanumeric_name(text.substr(slash + 1));
}

/// Reads the policies of one job.
class policy_reader {
public:
  policy_reader(const job& of, const json& spec, field_errors& errors)
      : of_{of}
      , spec_{spec}
      , errors_{errors} {}

  failure_policy read_failure_policy(const json& value, const field_path& at) {
    checked_object fields{value,
                          at,
                          errors_,
                          {"restartScope", "maxRestarts", "restartWindow",
                           "lostNodePeriod", "rules"}};
    failure_policy out;
    if (auto scope = fields.word("restartScope", {"Pod", "ReplicaType", "Job"}))
      out.scope = *scope == "Job"           ? restart_scope::job
                  : *scope == "ReplicaType" ? restart_scope::replica_type
                                            : restart_scope::pod;
    out.max_restarts = fields.number("maxRestarts", 0, max_counted_restarts);
    read_window(out, fields);
    out.lost_node_period =
        fields.duration("lostNodePeriod", seconds{1}, longest_policy_period);
    const auto& rules = fields.list("rules", max_policy_rules);
    for (std::size_t i = 0; i < rules.size(); ++i)
      if (auto rule = read_rule(rules[i], fields.at().child("rules").item(i)))
        out.rules.push_back(std::move(*rule));
    return out;
  }

  success_policy read_success_policy(const json& value, const field_path& at) {
    checked_object fields{
        value, at, errors_, {"operator", "targetReplicaTypes"}};
    success_policy out;
    out.any = fields.word("operator", {"All", "Any"}) == "Any";
    out.types = read_types(fields);
    if (out.any && !fields.has("targetReplicaTypes"))
      fields.add_error("targetReplicaTypes",
                       "Required value: must name the types, as operator Any "
                       "is about one replica of one of them");
    out.any &= !out.types.empty();
    return out;
  }

private:
  void read_window(failure_policy& out, const checked_object& fields) {
    out.window =
        fields.duration("restartWindow", seconds{1}, longest_policy_period);
    if (!out.window)
      return;
    out.window_text = text_at(*fields.find("restartWindow"), {});
    if (fields.has("maxRestarts"))
      return;
    fields.add_error("restartWindow",
                     "Forbidden: counts the restarts for maxRestarts, which is "
                     "absent; set that, or remove this");
    out.window.reset();
    out.window_text.clear();
  }

  /// nullopt if something is wrong with it: without one of its matchers it
  /// would match more.
  std::optional<failure_rule> read_rule(const json& value,
                                        const field_path& at) {
    field_errors own;
    auto rule = read_rule_fields(value, at, own);
    auto found = own.take();
    for (auto& e : found)
      errors_.add(std::move(e));
    return found.empty() ? std::optional{std::move(rule)} : std::nullopt;
  }

  failure_rule read_rule_fields(const json& value, const field_path& at,
                                field_errors& errors) {
    checked_object fields{value,
                          at,
                          errors,
                          {"name", "action", "onExitCodes", "onPodConditions",
                           "onReasons", "onMessagePattern",
                           "targetReplicaTypes"}};
    failure_rule rule;
    rule.name = read_rule_name(fields);
    rule.action = read_action(fields);
    rule.types = read_types(fields);
    if (const auto* codes = fields.find("onExitCodes"))
      rule.exit_codes =
          read_exit_codes(*codes, at.child("onExitCodes"), rule.types, errors);
    rule.conditions = read_conditions(fields, errors);
    rule.reasons = fields.texts("onReasons", max_rule_reasons, longest_reason);
    rule.message = patterns_.read(fields, "onMessagePattern");
    bool matches_something =
        fields.has("onExitCodes") || fields.has("onPodConditions")
        || fields.has("onReasons") || fields.has("onMessagePattern");
    if (fields.is_object() && !matches_something)
      errors.add(at, "Required value: must have at least one of onExitCodes, "
                     "onPodConditions, onReasons and onMessagePattern");
    return rule;
  }

  std::string read_rule_name(const checked_object& fields) {
    auto name = fields.text("name", longest_name);
    if (!name)
      return {};
    if (!k8s::is_alphanumeric_name(*name))
      fields.add_error("name",
                       "Invalid value: " + value_for_error(*name)
                           + ": must be letters and digits, between which - _ "
                             "and . are allowed");
    else if (!names_.insert(*name).second)
      fields.add_error("name", "Duplicate value: " + value_for_error(*name));
    return *name;
  }

  static failure_verdict read_action(const checked_object& fields) {
    if (fields.is_object() && !fields.has("action"))
      fields.add_error("action", "Required value: must say what happens");
    auto action = fields.word("action", {"FailJob", "Ignore", "RestartPod",
                                         "RestartReplicaType", "RestartJob"});
    for (auto verdict : verdicts)
      if (action && *action == to_string(verdict))
        return verdict;
    return failure_verdict::ignore;
  }

  std::optional<exit_code_matcher>
  read_exit_codes(const json& value, const field_path& at,
                  const std::vector<std::string>& types, field_errors& errors) {
    checked_object fields{
        value, at, errors, {"containerName", "operator", "values"}};
    exit_code_matcher out;
    if (auto container = fields.text("containerName", longest_name)) {
      out.container = *container;
      check_container(fields, out.container, types);
    }
    if (fields.is_object() && !fields.has("operator"))
      fields.add_error("operator", "Required value: must be In or NotIn");
    out.in = fields.word("operator", {"In", "NotIn"}) != "NotIn";
    if (fields.is_object() && !fields.has("values"))
      fields.add_error("values", "Required value: must list exit codes");
    const auto& codes = fields.list("values", max_rule_exit_codes);
    for (std::size_t i = 0; i < codes.size(); ++i)
      add_exit_code(out, codes[i], at.child("values").item(i), errors);
    return out;
  }

  static void add_exit_code(exit_code_matcher& out, const json& value,
                            const field_path& at, field_errors& errors) {
    auto code = int32_at(value, {});
    if (!code)
      errors.add(at, "Invalid value: " + value_for_error(value)
                         + ": must be an exit code, a whole number");
    else if (*code == 0 && out.in)
      errors.add(at, "Invalid value: 0: must not be 0, with which a container "
                     "succeeds");
    else if (std::find(out.values.begin(), out.values.end(), *code)
             != out.values.end())
      errors.add(at, "Duplicate value: " + std::to_string(*code));
    else
      out.values.push_back(*code);
  }

  std::vector<pod_condition_matcher> read_conditions(const checked_object& rule,
                                                     field_errors& errors) {
    std::vector<pod_condition_matcher> out;
    const auto& items = rule.list("onPodConditions", max_rule_conditions);
    for (std::size_t i = 0; i < items.size(); ++i) {
      auto at = rule.at().child("onPodConditions").item(i);
      checked_object fields{items[i], at, errors, {"type", "status"}};
      pod_condition_matcher condition;
      condition.type = read_condition_type(fields);
      condition.status =
          fields.word("status", {"True", "False", "Unknown"}).value_or("True");
      out.push_back(std::move(condition));
    }
    return out;
  }

  static std::string read_condition_type(const checked_object& fields) {
    constexpr const char* rule =
        ": must be the type of a condition, such as DisruptionTarget";
    auto type = fields.text("type", longest_condition_type);
    if (fields.is_object() && !fields.has("type"))
      fields.add_error("type", std::string{"Required value"} + rule);
    else if (type && !is_condition_type(*type))
      fields.add_error("type",
                       "Invalid value: " + value_for_error(*type) + rule);
    return type.value_or("");
  }

  // -- what the job has -------------------------------------------------------

  /// targetReplicaTypes, as the job's replicas are spelled.
  std::vector<std::string> read_types(const checked_object& fields) {
    std::vector<std::string> out;
    const auto spelled =
        fields.texts("targetReplicaTypes", max_replica_types, longest_name);
    for (const auto& name : spelled) {
      const auto* type = find_spelled_type(of_, name);
      if (!type)
        fields.add_error_of_item("targetReplicaTypes", name,
                                 "Unsupported value: " + value_for_error(name)
                                     + ": " + supported_values(types_of(of_)));
      else if (std::find(out.begin(), out.end(), type->type) == out.end())
        out.push_back(type->type);
    }
    return out;
  }

  /// The container must be in the template of a type that the rule is about.
  void check_container(const checked_object& fields, const std::string& name,
                       const std::vector<std::string>& types) const {
    std::set<std::string> known;
    const auto& map = value_at(spec_, {of_.kind->names.spec_field});
    if (!map.is_object())
      return;
    for (const auto& [spelled, replica] : map.items()) {
      const auto* type = find_spelled_type(of_, spelled);
      if (!type
          || (!types.empty()
              && std::find(types.begin(), types.end(), type->type)
                     == types.end()))
        continue;
      for (const char* list : {"initContainers", "containers"})
        for (const auto& c : array_at(replica, {"template", "spec", list}))
          known.insert(text_at(c, {"name"}));
    }
    if (known.count(name) == 0)
      fields.add_error("containerName",
                       "Unsupported value: " + value_for_error(name) + ": "
                           + supported_values({known.begin(), known.end()}));
  }

  const job& of_;
  const json& spec_;
  field_errors& errors_;
  std::set<std::string> names_;
  pattern_budget patterns_{
      {max_policy_pattern_steps, max_policy_pattern_steps / max_policy_rules}};
};

} // namespace

namespace {

/// Pods of a job that is restarted when it is silent are as those of a job that
/// is restarted when it fails.
void add_restarts_after_stalls(std::optional<failure_policy>& policy,
                               const progress_policy& progress) {
  if (progress.on_stalled != stall_action::restart_job)
    return;
  if (!policy) {
    policy.emplace();
    policy->max_restarts = most_restarts_after_stalls;
  }
  policy->restarts_stalled = true;
}

} // namespace

void read_policies(job& out, const json& spec,
                   const policy_annotations& annotations) {
  field_errors errors;
  policy_reader reader{out, spec, errors};
  std::optional<failure_policy> policy;
  const policy_place failure{"failurePolicy", label::failure_policy,
                             annotations.failure};
  if (auto value = find_written_policy(spec, failure, errors); !value.is_null())
    policy = reader.read_failure_policy(value, path_of_policy(spec, failure));
  const policy_place success{"successPolicy", label::success_policy,
                             annotations.success};
  if (auto value = find_written_policy(spec, success, errors);
      !value.is_null()) {
    auto at = path_of_policy(spec, success);
    out.policy.success = reader.read_success_policy(value, at);
    if (!out.success_policy.empty())
      errors.add(at, "Forbidden: spec.successPolicy is set, too; remove one of "
                     "the two");
  }
  const policy_place progress{"progress", label::progress,
                              annotations.progress};
  if (auto value = find_written_policy(spec, progress, errors);
      !value.is_null())
    out.policy.progress = read_progress_policy(
        value, out, path_of_policy(spec, progress), errors);
  out.policy.volcano = read_volcano_policy(out, annotations, errors);
  add_restarts_after_stalls(policy, out.policy.progress);
  out.policy.gang = read_gang_annotations(annotations, errors);
  // A pod that a Job makes is not replaced alone where that Job must not repeat
  // it.
  if (policy && *out.kind->names.type_made_by_job != '\0'
      && policy->may_restart_beyond_pod())
    policy->scope = restart_scope::job;
  if (policy)
    out.policy.failure =
        std::make_shared<const failure_policy>(std::move(*policy));
  out.policy_errors = errors.take();
}

std::optional<job_event> policy_error_event(const job& known, const job& now) {
  auto why = to_string(now.policy_errors);
  if (why.empty() || why == to_string(known.policy_errors))
    return std::nullopt;
  return job_event{true, kind_prefixed_reason(*now.kind, "InvalidPolicy"),
                   "what is wrong with the job's policies is left out, and "
                   "the rest of them holds: "
                       + why};
}

} // namespace troupe::core
