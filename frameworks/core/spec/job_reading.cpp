#include "frameworks/core/spec/job_reading.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/failure_policy_reading.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "k8s/json_parts.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace troupe::core {

namespace {

const char* restart_policy_name(restart_policy p) {
  switch (p) {
  case restart_policy::never:
    return "Never";
  case restart_policy::on_failure:
    return "OnFailure";
  case restart_policy::always:
    return "Always";
  case restart_policy::exit_code:
    return "ExitCode";
  case restart_policy::other:
    break;
  }
  return "";
}

/// Absent means None; an unknown value means All, as in training-operator v1.
clean_pod_policy read_clean_pod_policy(const json& j) {
  if (!j.is_string() || j == "None")
    return clean_pod_policy::none;
  return j == "Running" ? clean_pod_policy::running : clean_pod_policy::all;
}

/// Whether it is an object of a group whose kinds Kueue queues. One of another
/// group, such as a pipeline or a trial, leaves that to the jobs it makes.
bool may_controller_be_queued(const k8s::object_meta& of) {
  static constexpr std::string_view groups[] = {"apps",
                                                "batch",
                                                "jobset.x-k8s.io",
                                                "leaderworkerset.x-k8s.io",
                                                "ray.io",
                                                "sparkoperator.k8s.io",
                                                "trainer.kubeflow.org",
                                                "workload.codeflare.dev"};
  const auto* owner = of.controller();
  if (!owner)
    return false;
  std::string_view version = owner->api_version;
  return std::find(std::begin(groups), std::end(groups),
                   version.substr(0, version.find('/')))
         != std::end(groups);
}

std::optional<seconds> read_seconds(const json& j) {
  auto n = int64_at(j, {});
  return n ? std::optional{seconds{*n}} : std::nullopt;
}

/// Of what is kept as long as the job.
std::string kept_text(const json& value) {
  auto text = to_text(value);
  text.shrink_to_fit();
  return text;
}

std::optional<scheduling_policy> read_scheduling_policy(const json& j) {
  if (!j.is_object())
    return std::nullopt;
  scheduling_policy s;
  s.min_available = int32_at(j, {"minAvailable"});
  s.queue = text_at(j, {"queue"});
  if (const auto& r = value_at(j, {"minResources"}); r.is_object())
    s.min_resources = kept_text(r);
  s.priority_class = text_at(j, {"priorityClass"});
  s.schedule_timeout_seconds = int32_at(j, {"scheduleTimeoutSeconds"});
  return s;
}

run_policy read_run_policy(const json& j) {
  run_policy p;
  p.clean = read_clean_pod_policy(value_at(j, {"cleanPodPolicy"}));
  p.ttl_after_finished = read_seconds(value_at(j, {"ttlSecondsAfterFinished"}));
  p.active_deadline = read_seconds(value_at(j, {"activeDeadlineSeconds"}));
  p.backoff_limit = int32_at(j, {"backoffLimit"});
  p.suspend = bool_at(j, {"suspend"});
  if (const auto& m = value_at(j, {"managedBy"}); m.is_string())
    p.managed_by = m.get<std::string>();
  p.scheduling = read_scheduling_policy(value_at(j, {"schedulingPolicy"}));
  return p;
}

/// The container the framework means: by name, else the first.
json* find_default_or_first_container(const framework& kind,
                                      json& pod_template) {
  if (!value_at(pod_template, {"spec", "containers"}).is_array())
    return nullptr;
  auto& containers = pod_template["spec"]["containers"];
  if (*kind.pods.container != '\0')
    for (auto& c : containers)
      if (text_at(c, {"name"}) == kind.pods.container)
        return &c;
  return containers.empty() || !containers[0].is_object() ? nullptr
                                                          : &containers[0];
}

std::vector<container_port> container_ports(const json& container) {
  std::vector<container_port> result;
  if (const auto& ports = value_at(container, {"ports"}); ports.is_array())
    for (const auto& p : ports)
      result.push_back({text_at(p, {"name"}),
                        int32_at(p, {"containerPort"}).value_or(0),
                        text_at(p, {"protocol"})});
  return result;
}

void add_default_port_if_missing(const framework& kind, json& container) {
  for (const auto& p : container_ports(container))
    if (p.name == kind.pods.port_name)
      return;
  ensure_array(container, "ports")
      .push_back(
          {{"name", kind.pods.port_name}, {"containerPort", kind.pods.port}});
}

void read_pod_template(replica_spec& out, const framework& kind, json t) {
  if (auto* container = find_default_or_first_container(kind, t)) {
    if (kind.pods.port > 0)
      add_default_port_if_missing(kind, *container);
    out.main_container = text_at(*container, {"name"});
    out.has_default_container = out.main_container == kind.pods.container;
    if (out.has_default_container)
      out.ports = container_ports(*container);
  }
  const auto& spec = value_at(t, {"spec"});
  out.has_readiness_check = has_readiness_check(t);
  out.template_restart_policy = text_at(spec, {"restartPolicy"});
  out.template_scheduler = text_at(spec, {"schedulerName"});
  out.template_priority_class = text_at(spec, {"priorityClassName"});
  out.has_own_scheduling_group =
      value_at(spec, {"schedulingGroup"}).is_object();
  out.pod_template = t.is_object() ? kept_text(t) : "{}";
}

replica_spec read_replica_spec(const framework& kind, const std::string& type,
                               const json& j) {
  replica_spec r;
  const auto* rule = kind.find_rule_by_type(type);
  r.type = rule ? rule->type : type;
  r.label = rule ? rule->label : k8s::lower_case(type);
  r.replicas = std::clamp(
      int32_at(j, {"replicas"}).value_or(rule ? rule->default_replicas : 1), 0,
      max_replicas); // Else it has a problem.
  r.restart_text = text_at(j, {"restartPolicy"});
  if (r.restart_text.empty())
    r.restart_text =
        restart_policy_name(rule ? rule->default_restart_policy.value_or(
                                kind.ending.default_restart_policy)
                                 : kind.ending.default_restart_policy);
  r.restart = parse_restart_policy_or_other(r.restart_text);
  read_pod_template(r, kind, value_at(j, {"template"}));
  return r;
}

/// The framework's types first, in its order, then the others by name.
std::vector<replica_spec> read_replica_specs(const framework& kind,
                                             const json& j) {
  std::vector<replica_spec> result;
  if (j.is_object())
    for (const auto& [type, spec] : j.items())
      result.push_back(read_replica_spec(kind, type, spec));
  auto rank = [&](const replica_spec& r) {
    const auto* rule = kind.find_rule_by_label(r.label);
    return rule ? rule - kind.replicas.data()
                : static_cast<std::ptrdiff_t>(kind.replicas.size());
  };
  std::stable_sort(
      result.begin(), result.end(),
      [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return result;
}

void read_spec(job& out, json spec, const policy_annotations& annotations) {
  const auto& kind = *out.kind;
  if (kind.own.read_spec) {
    kind.own.read_spec(out, spec);
    return;
  }
  out.policy = read_run_policy(value_at(spec, {"runPolicy"}));
  // Where old MPIJobs have it; the current field takes precedence.
  if (value_at(spec, {"runPolicy", "cleanPodPolicy"}).is_null())
    out.policy.clean =
        read_clean_pod_policy(value_at(spec, {"cleanPodPolicy"}));
  out.replicas =
      read_replica_specs(kind, value_at(spec, {kind.names.spec_field}));
  out.success_policy = text_at(spec, {"successPolicy"});
  out.dynamic_workers = bool_at(spec, {"enableDynamicWorker"});
  out.elastic_policy = value_at(spec, {"elasticPolicy"}).is_object();
  read_policies(out, spec, annotations);
  for (const char* known : {"runPolicy", kind.names.spec_field, "successPolicy",
                            "enableDynamicWorker"})
    spec.erase(known);
  out.settings = kept_text(spec);
}

} // namespace

namespace {

std::string describe_invalid_job(const framework& kind, const std::string& name,
                                 const json& spec, const std::string& text) {
  auto own = kind.accepted.describe_invalid_spec
                 ? kind.accepted.describe_invalid_spec(spec)
                 : std::string{};
  return own.empty() ? to_string(validate_spec_without_limits(kind, name, text))
                     : shorten_message(std::move(own));
}

bool has_status(const k8s::spec_and_status_state& seen) {
  return !seen.status.empty() && seen.status != "null" && seen.status != "{}";
}

/// As text, which takes a tenth of the map.
std::string annotations_of_pod_group(std::map<std::string, std::string> all) {
  for (const char* other :
       {label::restarts, label::recovery, label::failure_policy,
        label::success_policy, label::progress, label::sub_group_policy,
        label::topology_tier_name})
    all.erase(other); // No concern of it.
  return all.empty() ? "" : kept_text(all);
}

bool is_for_kueue(const std::string& key) {
  return key.rfind(label::kueue_prefix, 0) == 0
         || key.rfind(label::provisioning_prefix, 0) == 0;
}

/// Labels and annotations that Kueue reads, as JSON text; "" if there are none.
std::string queue_settings_of(const k8s::object_meta& meta) {
  auto found = json::object();
  for (const auto& [key, value] : meta.labels)
    if (is_for_kueue(key))
      found["labels"][key] = value;
  for (const auto& [key, value] : meta.annotations)
    if (is_for_kueue(key))
      found["annotations"][key] = value;
  return found.empty() ? "" : kept_text(found);
}

} // namespace

job read_job(const framework& kind, std::string ns, std::string name,
             const json& spec, const policy_annotations& annotations) {
  job j;
  j.kind = &kind;
  j.ns = std::move(ns);
  j.name = std::move(name);
  read_spec(j, spec.is_object() ? spec : json::object(), annotations);
  return j;
}

k8s::result<job> decode_job(const framework& kind, const k8s::object& seen) {
  if (const auto* state = seen.unreadable())
    return k8s::failure{k8s::ec::invalid,
                        "the object cannot be read: " + state->why};
  const auto* raw = std::get_if<k8s::spec_and_status_state>(&seen.state);
  auto too_large = raw ? find_density_error(raw->spec) : std::nullopt;
  bool read = raw && has_readable_value_count(raw->spec);
  if (raw && !read && has_status(*raw)) // It has begun: it is left as it is.
    return k8s::failure{k8s::ec::invalid, to_string({*too_large})};
  auto spec = read ? parse_json_or_null(raw->spec) : json{};
  if (spec.is_null() && raw && raw->spec == "null")
    spec = json::object(); // Absent; the rules say what is missing.
  if (raw && !too_large)
    too_large = find_depth_error(raw->spec);
  bool unreadable = too_large && spec.is_null();
  if (unreadable)
    spec = json::object();
  if (!spec.is_object())
    return k8s::failure{k8s::ec::invalid, "spec: Invalid value: no object"};
  job j;
  j.kind = &kind;
  j.ns = seen.meta.ns;
  j.name = seen.meta.name;
  j.uid = seen.meta.uid;
  j.generation = seen.meta.generation;
  j.deleting = seen.meta.deleted.has_value();
  j.annotations = annotations_of_pod_group(seen.meta.annotations);
  if (auto i = seen.meta.labels.find(label::kueue_queue);
      i != seen.meta.labels.end())
    j.queue = i->second;
  j.queue_settings = queue_settings_of(seen.meta);
  j.may_be_queued_by_controller = may_controller_be_queued(seen.meta);
  j.spec_manager = raw->spec_manager;
  j.validation_error =
      unreadable ? to_string({*too_large})
                 : describe_invalid_job(kind, j.name, spec, raw->spec);
  const auto policies = policy_annotations_of(seen.meta.annotations);
  j.policy_texts = policies.text();
  read_spec(j, std::move(spec), policies);
  j.limit_error =
      too_large ? to_string({*too_large}) : to_string(find_limit_errors(j));
  return j;
}

bool is_decoded_from(const job& known, const k8s::object& seen) {
  return known.generation == seen.meta.generation
         && known.deleting == seen.meta.deleted.has_value()
         && known.queue_settings == queue_settings_of(seen.meta)
         && known.policy_texts
                == policy_annotations_of(seen.meta.annotations).text();
}

birth birth_of(const framework& f, const k8s::object& job) {
  const auto* state = std::get_if<k8s::spec_and_status_state>(&job.state);
  if (*f.names.born_as == '\0' || !state)
    return birth::unknown;
  auto text = k8s::find_json_member(state->spec, "createdAs");
  if (text.size() <= 2 || text.front() != '"')
    return birth::unknown;
  return is_job_of(f, text.substr(1, text.size() - 2)) ? birth::of_this_row
                                                       : birth::of_other_row;
}

} // namespace troupe::core
