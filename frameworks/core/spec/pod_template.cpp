#include "frameworks/core/spec/pod_template.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/spec/gang_pods.hpp"
#include "frameworks/core/spec/limits.hpp"
#include "frameworks/core/spec/pod_attempt.hpp"
#include "frameworks/core/spec/pod_progress.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace troupe::core {

namespace {

/// Such a pod is not even made. More than is admitted, for jobs of before.
constexpr std::size_t most_listed_names_bytes = 2 * max_pod_bytes;

// What each pod and service has is put together member by member: a json of
// nested braces would copy all of it at each level.

void set_name_namespace_and_owner(json& meta, const job& j, std::string name) {
  meta["name"] = std::move(name);
  meta["namespace"] = j.ns;
  meta["ownerReferences"] = json::array();
  meta["ownerReferences"].push_back(controller_reference(j));
}

json child_metadata(const job& j, const slot& at) {
  json meta;
  set_name_namespace_and_owner(meta, j, child_name(j, at));
  meta["labels"] = selector_labels(j, at);
  return meta;
}

/// Labels, annotations and, for most kinds, finalizers of the template's
/// metadata are kept; our labels take precedence.
json pod_metadata(const job& j, const slot& at, const json& given) {
  auto meta = child_metadata(j, at);
  if (has_master_role(j, at))
    meta["labels"][label::job_role] = "master";
  if (const auto& labels = value_at(given, {"labels"}); labels.is_object())
    for (const auto& [key, value] : labels.items())
      meta["labels"].emplace(key, value);
  auto keep = [&](const char* field) {
    if (const auto& value = value_at(given, {field}); !value.empty())
      meta[field] = value;
  };
  keep("annotations");
  if (j.kind->pods.keeps_template_finalizers)
    keep("finalizers");
  return meta;
}

json env_var_json(const env_var& v) {
  json variable;
  variable["name"] = v.name;
  if (v.field_path.empty())
    variable["value"] = v.value;
  else
    variable["valueFrom"]["fieldRef"]["fieldPath"] = v.field_path;
  return variable;
}

void add_environment_to_containers_in_scope(
    json& spec, const framework& f, const std::vector<env_var>& environment) {
  if (environment.empty())
    return;
  for (auto& c : spec["containers"]) {
    bool main = text_at(c, {"name"}) == f.pods.container;
    if (f.hooks.environment_scope == env_scope::main_container && !main)
      continue;
    append_missing_variables(c, environment);
    if (f.hooks.environment_scope == env_scope::main_container)
      return; // The first of that name only.
  }
}

k8s::failure invalid_template_failure(const job& j, const slot& at,
                                      const std::string& problem) {
  return {k8s::ec::invalid, std::string{"spec."} + j.kind->names.spec_field
                                + "[" + at.type + "].template" + problem};
}

/// A service's ports must differ in name, and in number or protocol, and have
/// names unless there is only one. The protocol is that of the container's
/// port; TCP, the default, is not written.
json service_ports(const std::vector<container_port>& declared) {
  std::vector<container_port> ports;
  for (const auto& p : declared) {
    auto same = [&](const container_port& q) { return q.name == p.name; };
    if (auto i = std::find_if(ports.begin(), ports.end(), same);
        i != ports.end())
      *i = p;
    else
      ports.push_back(p);
  }
  auto result = json::array();
  std::set<std::pair<std::int32_t, std::string>> taken;
  for (const auto& p : ports) {
    if (!taken.insert({p.port, p.is_tcp() ? "" : p.protocol}).second)
      continue;
    json out;
    out["port"] = p.port;
    if (!p.name.empty())
      out["name"] = p.name;
    else if (ports.size() > 1)
      out["name"] = "port-" + std::to_string(p.port);
    if (!p.is_tcp())
      out["protocol"] = p.protocol;
    result.push_back(std::move(out));
  }
  return result;
}

std::string owner_references_patch(const std::string& uid, json owners) {
  return to_text(
      {{"metadata", {{"uid", uid}, {"ownerReferences", std::move(owners)}}}});
}

/// A single failure makes no difference.
void annotate_repeated_early_failures(json& pod, std::int32_t count) {
  if (count > 1)
    ensure_object(ensure_object(pod, "metadata"),
                  "annotations")[label::early_failures] = std::to_string(count);
}

/// A pod that the kind itself made.
k8s::result<std::string>
add_repeated_early_failures_annotation(k8s::result<std::string> made,
                                       std::int32_t count) {
  if (!made || count <= 1)
    return made;
  auto pod = parse_json_or_null(*made);
  annotate_repeated_early_failures(pod, count);
  return to_text(pod);
}

} // namespace

bool has_master_role(const job& j, const slot& at) {
  const auto* rule = j.kind->find_rule_by_label(at.type);
  if (!rule)
    return false;
  switch (rule->role) {
  case master_role::none:
    return false;
  case master_role::all:
    return true;
  case master_role::first:
    return at.index == 0;
  case master_role::index_zero_without_chief:
    return at.index == 0 && !has_replica_of_chief_type(j);
  }
  return false;
}

void append_missing_variables(json& container,
                              const std::vector<env_var>& variables) {
  auto& env = ensure_array(container, "env");
  const auto given = env.size();
  auto is_given = [&](const std::string& name) {
    return std::any_of(
        env.begin(), env.begin() + static_cast<std::ptrdiff_t>(given),
        [&](const json& v) { return text_at(v, {"name"}) == name; });
  };
  for (const auto& v : variables)
    if (!is_given(v.name))
      env.push_back(env_var_json(v));
}

bool has_readiness_check(const json& pod_template) {
  const auto& pod_spec = value_at(pod_template, {"spec"});
  if (const auto& gates = value_at(pod_spec, {"readinessGates"});
      gates.is_array() && !gates.empty())
    return true;
  // Of a sidecar, the other containers wait until its startup probe succeeds.
  const std::pair<const char*, const char*> probes[] = {
      {"containers", "readinessProbe"},
      {"containers", "startupProbe"},
      {"initContainers", "readinessProbe"}};
  for (const auto& [list, probe] : probes)
    if (const auto& all = value_at(pod_spec, {list}); all.is_array())
      for (const auto& c : all)
        if (value_at(c, {probe}).is_object())
          return true;
  return false;
}

json controller_reference(const job& j) {
  json reference;
  reference["apiVersion"] = j.kind->names.type.api_version();
  reference["kind"] = j.kind->names.type.kind;
  reference["name"] = j.name;
  reference["uid"] = j.uid;
  reference["controller"] = true;
  reference["blockOwnerDeletion"] = true;
  return reference;
}

k8s::result<std::string> make_pod_json(const job& j, const slot& at,
                                       const cluster_options& cluster,
                                       std::int32_t early_failures,
                                       std::optional<std::int32_t> attempt) {
  if (auto names = j.kind->hooks.listed_names_bytes
                       ? j.kind->hooks.listed_names_bytes(j)
                       : 0;
      names > most_listed_names_bytes)
    return invalid_template_failure(
        j, at,
        ": the names of all replicas take " + std::to_string(names)
            + " bytes in each pod, which no API server stores; ask for fewer "
              "replicas, or shorten the names");
  if (j.kind->own.make_pod)
    return add_repeated_early_failures_annotation(
        j.kind->own.make_pod(j, at, cluster, attempt), early_failures);
  const auto* spec = j.find_replica_spec(at.type);
  if (!spec)
    return invalid_template_failure(j, at,
                                    ": the job has no such replica type");
  auto given = parse_json_or_null(spec->pod_template);
  if (!value_at(given, {"spec", "containers"}).is_array())
    return invalid_template_failure(j, at, ".spec.containers: Required value");
  json pod;
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  pod["metadata"] = pod_metadata(j, at, value_at(given, {"metadata"}));
  annotate_repeated_early_failures(pod, early_failures);
  auto& body = pod["spec"] = std::move(given["spec"]);
  body["restartPolicy"] = pod_restart_policy(j, *spec);
  if (j.kind->hooks.environment)
    add_environment_to_containers_in_scope(
        body, *j.kind, j.kind->hooks.environment(j, at, cluster));
  if (j.kind->hooks.customize_pod_spec)
    j.kind->hooks.customize_pod_spec(body, j, at, cluster);
  if (tells_pods_where_to_report(j, cluster)
      && add_report_access(body, spec->main_container, j, cluster))
    pod["metadata"]["labels"][label::progress] = label::told_to_report;
  set_gang_scheduling_fields(pod, j, at, cluster);
  set_pod_attempt(pod, attempt);
  return to_text(pod);
}

std::string pod_restart_policy(const job& j, const replica_spec& spec) {
  bool must_end = spec.restart == restart_policy::exit_code
                  || j.failure_policy_or_default().must_see_failures();
  return must_end ? "Never" : spec.restart_text;
}

void record_own_init_containers(job& j, const cluster_options& cluster) {
  if (!j.kind->hooks.customize_pod_spec)
    return;
  for (auto& spec : j.replicas) {
    json pod_spec;
    pod_spec["containers"].push_back({{"name", spec.main_container}});
    j.kind->hooks.customize_pod_spec(pod_spec, j, {spec.label, 0}, cluster);
    std::vector<std::string> names;
    for (const auto& c : value_at(pod_spec, {"initContainers"}))
      names.push_back(text_at(c, {"name"}));
    spec.own_init_containers =
        names.empty() ? own_containers{} : own_containers{std::move(names)};
  }
}

k8s::result<std::string> make_service_json(const job& j, const slot& at) {
  const auto* spec = j.find_replica_spec(at.type);
  if (!spec || !spec->has_default_container)
    return k8s::failure{k8s::ec::invalid, "failed to find the port"};
  json service;
  service["apiVersion"] = "v1";
  service["kind"] = "Service";
  service["metadata"] = child_metadata(j, at);
  auto& body = service["spec"];
  body["clusterIP"] = "None";
  body["selector"] = selector_labels(j, at);
  body["ports"] = service_ports(spec->ports);
  if (spec->has_readiness_check)
    body["publishNotReadyAddresses"] = true;
  return to_text(service);
}

json auxiliary_metadata(const job& j, const auxiliary_object& b) {
  auto meta =
      b.metadata.empty() ? json::object() : parse_json_or_null(b.metadata);
  set_name_namespace_and_owner(meta, j, b.name);
  return meta;
}

json make_auxiliary_object(const job& j, const auxiliary_object& b) {
  const auto& type = resource_of(b.kind);
  auto object = parse_json_or_null(b.body);
  if (!object.is_object())
    return nullptr;
  object["apiVersion"] = type.api_version();
  object["kind"] = type.kind;
  object["metadata"] = auxiliary_metadata(j, b);
  return object;
}

k8s::result<std::string> make_auxiliary_json(const job& j,
                                             const auxiliary_object& b) {
  auto object = make_auxiliary_object(j, b);
  if (object.is_null())
    return k8s::failure{k8s::ec::bug,
                        "a " + resource_of(b.kind).kind + " without a body"};
  return to_text(object);
}

std::vector<job_event> pod_template_warnings(const job& j, const slot& at,
                                             const cluster_options& cluster) {
  const auto* spec = j.find_replica_spec(at.type);
  auto result = foreign_scheduler_warnings(j, cluster);
  const auto* rule = j.kind->find_rule_by_label(at.type);
  if (!spec || spec->template_restart_policy.empty()
      || (rule && !rule->warns_of_template_restart_policy))
    return result;
  result.push_back(
      {true,
       j.kind->messages.template_warning_verb
           + std::string{"PodTemplateRestartPolicy"},
       "Restart policy in pod template will be overwritten by restart "
       "policy in replica spec"});
  return result;
}

std::string early_failures_annotation_patch(std::int32_t count,
                                            const std::string& pod_uid) {
  return to_text(
      {{"metadata",
        {{"uid", pod_uid},
         {"annotations", {{label::early_failures, std::to_string(count)}}}}}});
}

std::string adoption_patch(const job& j, const std::string& child_uid) {
  return owner_references_patch(child_uid,
                                json::array({controller_reference(j)}));
}

std::string release_patch(const job& j, const std::string& child_uid) {
  return owner_references_patch(
      child_uid, json::array({{{"$patch", "delete"}, {"uid", j.uid}}}));
}

} // namespace troupe::core
