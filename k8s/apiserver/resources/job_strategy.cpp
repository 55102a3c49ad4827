#include "k8s/apiserver/resources/job_strategy.hpp"

#include "k8s/apiserver/resources/job_validation.hpp"
#include "k8s/apiserver/resources/pod_strategy.hpp"

namespace troupe::k8s::apiserver {

namespace {

bool has_value(const json& object, const char* key) {
  auto* value = find_value(object, {key});
  return value && !value->is_null();
}

void set_failure_policy_defaults(json& policy) {
  if (auto rules = policy.find("rules"); rules != policy.end())
    for (auto& rule : *rules)
      if (auto patterns = rule.find("onPodConditions"); patterns != rule.end())
        for (auto& pattern : *patterns)
          set_default(pattern, "status", "True");
}

void set_job_defaults(json& job) {
  auto& spec = ensure_object(job, "spec");
  if (!has_value(spec, "completions") && !has_value(spec, "parallelism"))
    spec["completions"] = 1;
  set_default(spec, "parallelism", 1);
  set_default(spec, "backoffLimit",
              has_value(spec, "backoffLimitPerIndex") ? INT32_MAX : 6);
  set_default(spec, "completionMode", "NonIndexed");
  set_default(spec, "suspend", false);
  set_default(spec, "manualSelector", false);
  bool has_policy = has_value(spec, "podFailurePolicy");
  set_default(spec, "podReplacementPolicy",
              has_policy ? "Failed" : "TerminatingOrFailed");
  if (has_policy)
    set_failure_policy_defaults(spec["podFailurePolicy"]);
  static const auto set_pod_defaults = pod_strategy().set_defaults;
  auto& template_ = ensure_object(spec, "template");
  ensure_object(template_, "metadata");
  bool says_links = find_value(template_, {"spec", "enableServiceLinks"});
  set_pod_defaults(template_);
  if (!says_links) // Templates lack this default; their pods get it.
    template_["spec"].erase("enableServiceLinks");
}

/// As a Job is read: one without labels has those of its template.
void copy_template_labels_if_none(json& job) {
  const auto& labels =
      value_at(job, {"spec", "template", "metadata", "labels"});
  if (value_at(job, {"metadata", "labels"}).empty() && !labels.empty())
    job["metadata"]["labels"] = labels;
}

/// Labels that tell the Job's pods from all others. A label that the author set
/// stays, and is refused if it is another one's.
void generate_selector(json& job) {
  const auto name = text_at(job, {"metadata", "name"});
  const auto uid = text_at(job, {"metadata", "uid"});
  auto& spec = job["spec"];
  auto& labels = ensure_object(spec["template"]["metadata"], "labels");
  for (auto key : job_name_labels)
    set_default(labels, key, name);
  for (auto key : job_uid_labels)
    set_default(labels, key, uid);
  set_default(ensure_object(ensure_object(spec, "selector"), "matchLabels"),
              job_uid_labels[1], uid);
}

void prepare_new_job(json& job) {
  job["metadata"]["generation"] = 1;
  if (!bool_at(job, {"spec", "manualSelector"}))
    generate_selector(job);
  copy_template_labels_if_none(job);
  job["status"] = json::object();
}

void prepare_job_update(json& job, const json& old,
                        const std::string& subresource) {
  if (!subresource.empty())
    return;
  set_job_defaults(job);
  copy_template_labels_if_none(job);
  if (job["spec"] != old["spec"])
    job["metadata"]["generation"] =
        number_at(old, {"metadata", "generation"}) + 1;
}

} // namespace

bool has_true_job_condition(const json& job, const char* type) {
  for (const auto& c : array_at(job, {"status", "conditions"}))
    if (text_at(c, {"type"}) == type)
      return text_at(c, {"status"}) == "True";
  return false;
}

bool is_finished_job(const json& job) {
  return has_true_job_condition(job, "Complete")
         || has_true_job_condition(job, "Failed");
}

write_strategy job_strategy() {
  return {set_job_defaults, prepare_new_job,     prepare_job_update,
          validate_job,     validate_job_update, validate_job_status_update};
}

} // namespace troupe::k8s::apiserver
