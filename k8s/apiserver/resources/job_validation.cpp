#include "k8s/apiserver/resources/job_validation.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/resources/job_failure_rules.hpp"
#include "k8s/apiserver/resources/job_strategy.hpp"
#include "k8s/apiserver/resources/pod_strategy.hpp"

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* never_negative_fields[] = {
    "parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
    "ttlSecondsAfterFinished"};

/// What this server's controller does not do; kept, it would say that it does.
constexpr const char* unsupported_fields[] = {
    "backoffLimitPerIndex", "maxFailedIndexes", "successPolicy", "scheduling"};

void validate_numbers(const json& spec, field_errors& out) {
  for (auto key : never_negative_fields) {
    auto value = number_at(spec, {key});
    auto path = std::string("spec.") + key;
    if (value < 0)
      out.push_back(
          invalid_value(path, value, "must be greater than or equal to 0"));
  }
  auto limit = [&](const char* key, std::int64_t most) {
    if (auto value = number_at(spec, {key}); value > most)
      out.push_back(invalid_value(std::string("spec.") + key, value,
                                  "must be less than or equal to "
                                      + std::to_string(most)
                                      + " on this server"));
  };
  limit("parallelism", most_parallel_job_pods);
  limit("completions", most_job_completions);
}

void validate_completion_mode(const json& job, field_errors& out) {
  const auto& spec = job["spec"];
  const auto& mode = text_at(spec, {"completionMode"});
  if (mode != "Indexed" && mode != "NonIndexed")
    out.push_back(unsupported_value("spec.completionMode", mode,
                                    {"NonIndexed", "Indexed"}));
  if (mode != "Indexed")
    return;
  auto completions = int64_at(spec, {"completions"});
  if (!completions) {
    out.push_back(
        required_value("spec.completions", "when completion mode is Indexed"));
    return;
  }
  const auto& name = text_at(job, {"metadata", "name"});
  auto longest = name + "-" + std::to_string(*completions - 1);
  if (*completions > 0 && !dns1123_label_error(longest).empty())
    out.push_back(invalid_value(
        "metadata.name", name,
        "will not able to create pod with invalid DNS label: " + longest));
}

void validate_replacement_policy(const json& spec, field_errors& out) {
  const auto& policy = text_at(spec, {"podReplacementPolicy"});
  if (policy == "Failed")
    return;
  if (find_value(spec, {"podFailurePolicy"}))
    out.push_back(
        unsupported_value("spec.podReplacementPolicy", policy, {"Failed"}));
  else if (policy != "TerminatingOrFailed")
    out.push_back(unsupported_value("spec.podReplacementPolicy", policy,
                                    {"Failed", "TerminatingOrFailed"}));
}

void validate_restart_policy(const json& spec, field_errors& out) {
  const std::string path = "spec.template.spec.restartPolicy";
  const auto& policy = text_at(spec, {"template", "spec", "restartPolicy"});
  if (policy.empty() || policy == "Always")
    out.push_back(
        required_value(path, R"(valid values: "OnFailure", "Never")"));
  else if (policy != "OnFailure" && policy != "Never")
    out.push_back(unsupported_value(path, policy, {"OnFailure", "Never"}));
  else if (policy != "Never" && find_value(spec, {"podFailurePolicy"}))
    out.push_back(invalid_value(
        path, policy,
        R"(only "Never" is supported when podFailurePolicy is specified)"));
}

void append_with_prefix(const std::string& prefix, field_errors errors,
                        field_errors& out) {
  for (auto& e : errors) {
    e.field = prefix + e.field;
    out.push_back(std::move(e));
  }
}

void validate_template(const json& spec, field_errors& out) {
  const auto& template_ = spec["template"];
  field_errors of_metadata;
  validate_metadata_except_name(template_, false, of_metadata);
  append_with_prefix("spec.template.", std::move(of_metadata), out);
  static const auto validate_pod = pod_strategy().validate;
  append_with_prefix("spec.template.", validate_pod(template_), out);
}

bool selects_labels(const json& selector, const json& labels) {
  for (const auto& [key, value] : value_at(selector, {"matchLabels"}).items())
    if (text_at(labels, {key.c_str()}) != value)
      return false;
  return true;
}

void validate_selector(const json& job, field_errors& out) {
  const auto& spec = job["spec"];
  const auto& selector = value_at(spec, {"selector"});
  const auto& labels = value_at(spec, {"template", "metadata", "labels"});
  if (!selector.is_object())
    out.push_back(required_value("spec.selector"));
  if (!bool_at(spec, {"manualSelector"})) {
    json expected;
    for (auto key : job_name_labels)
      expected[key] = text_at(job, {"metadata", "name"});
    for (auto key : job_uid_labels)
      expected[key] = text_at(job, {"metadata", "uid"});
    for (const auto& [key, value] : expected.items())
      if (text_at(labels, {key.c_str()}) != value)
        out.push_back(
            invalid_value("spec.template.metadata.labels[" + key + "]", labels,
                          "must be '" + value.get<std::string>() + "'"));
    if (!selects_labels(selector, expected))
      out.push_back(invalid_value("spec.selector", selector,
                                  "`selector` not auto-generated"));
  }
  if (!selector.is_object() || !selects_labels(selector, labels))
    out.push_back(invalid_value("spec.template.metadata.labels", labels,
                                "`selector` does not match template `labels`"));
}

/// The template without what may change before the Job has ever started: where
/// its pods run.
json without_scheduling_directives(json template_) {
  for (auto key : {"labels", "annotations"})
    template_["metadata"].erase(key);
  auto& spec = template_["spec"];
  for (auto key : {"nodeSelector", "tolerations", "schedulingGates"})
    spec.erase(key);
  auto affinity = spec.find("affinity");
  if (affinity == spec.end() || !affinity->is_object())
    return template_;
  affinity->erase("nodeAffinity");
  if (affinity->empty())
    spec.erase("affinity");
  return template_;
}

bool may_template_change(const json& template_, const json& old_job) {
  bool is_unstarted = bool_at(old_job, {"spec", "suspend"})
                      && text_at(old_job, {"status", "startTime"}).empty();
  return is_unstarted
         && without_scheduling_directives(template_)
                == without_scheduling_directives(old_job["spec"]["template"]);
}

void validate_completions_update(const json& spec, const json& old,
                                 field_errors& out) {
  const auto& now = value_at(spec, {"completions"});
  if (now == value_at(old, {"completions"}))
    return;
  bool is_indexed = text_at(spec, {"completionMode"}) == "Indexed";
  if (!is_indexed || now != value_at(spec, {"parallelism"}))
    out.push_back(invalid_value(
        "spec.completions", now,
        is_indexed ? "can only be modified in tandem with spec.parallelism"
                   : "field is immutable"));
}

} // namespace

field_errors validate_job(const json& job) {
  field_errors out;
  const auto& spec = job["spec"];
  validate_selector(job, out);
  validate_numbers(spec, out);
  for (auto key : unsupported_fields)
    if (find_value(spec, {key}))
      out.push_back(forbidden_value(std::string("spec.") + key,
                                    "is not supported by this server"));
  validate_completion_mode(job, out);
  validate_job_failure_rules(spec, out);
  validate_replacement_policy(spec, out);
  validate_template(spec, out);
  validate_restart_policy(spec, out);
  return out;
}

field_errors validate_job_update(const json& job, const json& old) {
  field_errors out;
  auto check_is_unchanged = [&](const char* key) {
    const auto& now = value_at(job, {"spec", key});
    if (now != value_at(old, {"spec", key}))
      out.push_back(
          invalid_value(std::string("spec.") + key, now, "field is immutable"));
  };
  validate_completions_update(job["spec"], old["spec"], out);
  check_is_unchanged("selector");
  if (!may_template_change(job["spec"]["template"], old))
    check_is_unchanged("template");
  for (auto key : {"completionMode", "podFailurePolicy", "managedBy"})
    check_is_unchanged(key);
  return out;
}

field_errors validate_job_status_update(const json& job, const json& old) {
  field_errors out;
  for (auto key : {"active", "succeeded", "failed", "ready", "terminating"}) {
    auto value = number_at(job, {"status", key});
    if (value < 0)
      out.push_back(invalid_value(std::string("status.") + key, value,
                                  "must be greater than or equal to 0"));
  }
  for (auto type : {"Failed", "Complete", "FailureTarget"})
    if (has_true_job_condition(old, type) && !has_true_job_condition(job, type))
      out.push_back({"status.conditions", "FieldValueInvalid",
                     std::string("Invalid value: cannot disable the terminal ")
                         + type + "=True condition"});
  for (auto key : {"failed", "succeeded"}) {
    auto value = number_at(job, {"status", key});
    if (value < number_at(old, {"status", key}))
      out.push_back(invalid_value(std::string("status.") + key, value,
                                  std::string("cannot decrease the ") + key
                                      + " counter"));
  }
  const auto& started = text_at(old, {"status", "startTime"});
  if (!started.empty() && started != text_at(job, {"status", "startTime"})
      && !bool_at(job, {"spec", "suspend"}))
    out.push_back(required_value("status.startTime",
                                 "startTime cannot be removed for unsuspended "
                                 "job"));
  return out;
}

} // namespace troupe::k8s::apiserver
