#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "frameworks/di/base/clean_up.hpp"
#include "frameworks/di/base/dijob_pods.hpp"
#include "frameworks/di/base/dijob_versions.hpp"
#include "frameworks/di/coordinator/dijob_plan.hpp"
#include "frameworks/di/coordinator/dijob_status.hpp"
#include "frameworks/di/requests/request_execution.hpp"
#include "frameworks/registry.hpp"
#include "frameworks/rules.hpp"

namespace troupe::frameworks {

using namespace core;

namespace {

/// A coordinator runs once, the others restart, unless the template says
/// otherwise.
restart_policy read_di_restart_policy_or_default(const replica_rule& rule,
                                                 const json& section) {
  const auto& text = text_at(section, {"template", "spec", "restartPolicy"});
  if (text.empty())
    return rule.indexed ? restart_policy::always : restart_policy::never;
  return parse_restart_policy_or_other(text);
}

replica_spec read_di_replica_spec(const replica_rule& rule,
                                  const json& section) {
  replica_spec r;
  r.type = rule.type;
  r.label = rule.label;
  // Only the coordinator is created for the spec, the others on request.
  r.replicas = rule.default_replicas;
  r.restart = read_di_restart_policy_or_default(rule, section);
  r.main_container = di::main_container;
  const auto& pod_template = value_at(section, {"template"});
  r.has_readiness_check = has_readiness_check(pod_template);
  r.pod_template = to_text(pod_template);
  return r;
}

void read_di_spec(job& out, const json& spec) {
  out.policy.clean = di::read_di_clean_pod_policy(spec);
  for (const auto& rule : out.kind->replicas)
    if (const auto& section = value_at(spec, {rule.label}); section.is_object())
      out.replicas.push_back(read_di_replica_spec(rule, section));
  auto settings = json::object();
  for (const char* field : {"priorityClassName", "volumes"})
    if (const auto& value = value_at(spec, {field}); !value.is_null())
      settings[field] = value;
  out.settings = to_text(settings);
}

k8s::result<std::string>
make_di_coordinator_pod(const job& j, const slot& at,
                        const cluster_options& cluster,
                        std::optional<std::int32_t> /*attempt*/) {
  if (at.type != di::role::coordinator)
    return k8s::failure{k8s::ec::bug, "a pod of a DIJob that is not its "
                                      "coordinator is created on request only"};
  auto pod = di::make_pod(j, di::coordinator_pod_order(j, cluster));
  if (!pod)
    return pod.error();
  return std::move(pod->body);
}

/// The longest names that this job's pods, and so its services, can have.
std::vector<std::string> longest_di_pod_names(const std::string& job,
                                              const json& spec) {
  const auto suffix = "-" + letter_suffix_of_index(0);
  std::vector<std::string> result{job + "-" + di::role::coordinator};
  if (value_at(spec, {di::role::collector}).is_object())
    result.push_back(job + "-" + di::role::collector + suffix);
  if (value_at(spec, {di::role::learner}).is_object())
    result.push_back(job + "-" + di::role::ddp_learner + suffix);
  return result;
}

std::vector<field_error> find_di_errors(const std::string& name,
                                        const json& spec) {
  std::vector<field_error> errors;
  if (auto e = find_job_name_label_error(name))
    errors.push_back(std::move(*e));
  for (const auto& child : longest_di_pod_names(name, spec))
    if (auto e = find_child_name_length_error(name, child)) {
      errors.push_back(std::move(*e));
      break;
    }
  const auto& containers =
      value_at(spec, {di::role::coordinator, "template", "spec", "containers"});
  if (!containers.is_array() || containers.empty())
    errors.push_back({"spec.coordinator.template.spec.containers",
                      "Required value: must be specified"});
  return errors;
}

/// Each role's template has the policy of its pods.
std::vector<field_error> find_di_restart_policy_errors(const job& j) {
  std::vector<field_error> errors;
  for (const auto& type : j.replicas) {
    if (type.restart != restart_policy::other
        && type.restart != restart_policy::exit_code)
      continue;
    const auto pod = parse_json_or_null(type.pod_template);
    errors.push_back(
        {"spec." + type.label + ".template.spec.restartPolicy",
         "Unsupported value: "
             + to_quoted(text_at(pod, {"spec", "restartPolicy"}))
             + ": supported values: \"Always\", \"OnFailure\", \"Never\""});
  }
  return errors;
}

void set_di_clean_pod_policy_default(json& spec) {
  if (text_at(spec, {"cleanPodPolicy"}).empty())
    spec["cleanPodPolicy"] = "Running";
}

/// Absent is as good as the default, where no webhook sets that. ALL is how
/// DI-orchestrator spelled it at first.
std::string find_clean_pod_policy_error(const json& spec) {
  const auto& policy = text_at(spec, {"cleanPodPolicy"});
  for (const char* known : {"", "None", "Running", "All", "ALL"})
    if (policy == known)
      return {};
  return "Invalid CleanPodPolicy " + policy
         + ", expected in [None, Running, All]";
}

constexpr child_event_texts di_event_texts{
    "SuccessfulCreate", "Create {noun}: {name}",
    "FailedCreate",     "Failed to create {noun}: {name} error: {error}",
    "SuccessfulDelete", "Delete {noun}: {name}",
    "FailedDelete",     "Failed to delete {noun}: {name} error: {error}"};

replica_rule make_di_replica_rule(const char* type, const char* label,
                                  int replicas) {
  auto r = make_follower_rule(type, label);
  r.default_replicas = replicas;
  r.indexed = replicas == 0;
  return r;
}

} // namespace

framework dijob() {
  framework f;
  f.names.type = {"diengine.opendilab.org", "v1alpha1", "dijobs", "DIJob"};
  f.names.singular = "dijob";
  f.names.short_name = "di";
  f.names.controller = "di-operator";
  f.names.labels = di::dijob_label_keys();
  f.names.random_names = true;
  f.names.watch_selector = di::not_converted_selector;
  f.replicas = {make_di_replica_rule("Coordinator", di::role::coordinator, 1),
                make_di_replica_rule("Collector", di::role::collector, 0),
                make_di_replica_rule("Learner", di::role::learner, 0),
                make_di_replica_rule("Aggregator", di::role::aggregator, 0)};
  f.accepted.find_own_limit_errors = find_di_restart_policy_errors;
  f.pods.keeps_trouble = false;
  f.pods.container = di::main_container;
  f.pods.port_name = di::main_port;
  f.pods.services_from_pods = true;
  f.pods.delete_grace_seconds = 0;
  f.ending.replaces_pods_on_failure = false;
  f.ending.replaces_disrupted_pods = false;
  f.ending.main_container_decides = true;
  f.messages.emits_exit_events = false;
  f.messages.event_source = "di-orchestrator";
  f.messages.metrics_source = "dijob";
  f.messages.child_events = &di_event_texts;
  f.own.status = di::status_format();
  f.own.reconcile_job = di::reconcile_job;
  f.own.read_spec = read_di_spec;
  f.own.make_pod = make_di_coordinator_pod;
  f.own.find_job_errors = find_di_errors;
  f.own.begin_request = di::make_replica_request_execution;
  f.admission.validating = {"di-validating-webhook-configuration",
                            "vdijob.kb.io",
                            "/validate-diengine-opendilab-org-v1alpha1-dijob"};
  f.admission.mutating = {"di-mutating-webhook-configuration", "mdijob.kb.io",
                          "/mutate-diengine-opendilab-org-v1alpha1-dijob"};
  f.admission.set_defaults = set_di_clean_pod_policy_default;
  f.admission.find_write_error = find_clean_pod_policy_error;
  f.admission.denies_by_reason = true;
  return f;
}

} // namespace troupe::frameworks
