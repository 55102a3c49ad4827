#include "k8s/apiserver/resources/pod_strategy.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"

#include <set>

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* container_lists[] = {"containers", "initContainers"};

const char* default_pull_policy(const std::string& image) {
  if (image.find('@') != image.npos)
    return "IfNotPresent";
  auto colon = image.rfind(':');
  auto slash = image.rfind('/');
  bool tagged = colon != image.npos && (slash == image.npos || colon > slash);
  return !tagged || image.compare(colon, image.npos, ":latest") == 0
             ? "Always"
             : "IfNotPresent";
}

void set_probe_defaults(json& container, const char* key) {
  auto i = container.find(key);
  if (i == container.end() || !i->is_object())
    return;
  set_default(*i, "timeoutSeconds", 1);
  set_default(*i, "periodSeconds", 10);
  set_default(*i, "successThreshold", 1);
  set_default(*i, "failureThreshold", 3);
}

void set_container_defaults(json& c) {
  if (!c.is_object())
    return;
  set_default(c, "imagePullPolicy", default_pull_policy(text_at(c, {"image"})));
  set_default(c, "terminationMessagePath", "/dev/termination-log");
  set_default(c, "terminationMessagePolicy", "File");
  set_default(c, "resources", json::object());
  for (auto key : {"livenessProbe", "readinessProbe", "startupProbe"})
    set_probe_defaults(c, key);
  if (auto p = c.find("ports"); p != c.end() && p->is_array())
    for (auto& port : *p)
      if (port.is_object())
        set_default(port, "protocol", "TCP");
  if (auto e = c.find("env"); e != c.end() && e->is_array())
    for (auto& var : *e)
      if (find_value(var, {"valueFrom", "fieldRef", "fieldPath"}))
        set_default(var["valueFrom"]["fieldRef"], "apiVersion", "v1");
}

void set_volume_defaults(json& v) {
  if (!v.is_object())
    return;
  if (v.size() == 1 && v.contains("name"))
    v["emptyDir"] = json::object();
  for (auto source : {"secret", "configMap", "projected", "downwardAPI"})
    if (auto s = v.find(source); s != v.end() && s->is_object())
      set_default(*s, "defaultMode", 420);
}

void set_pod_defaults(json& pod) {
  auto& spec = ensure_object(pod, "spec");
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "dnsPolicy", "ClusterFirst");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(spec, "schedulerName", "default-scheduler");
  set_default(spec, "securityContext", json::object());
  set_default(spec, "enableServiceLinks", true);
  for (auto list : container_lists)
    if (auto l = spec.find(list); l != spec.end() && l->is_array())
      for (auto& c : *l)
        set_container_defaults(c);
  if (auto v = spec.find("volumes"); v != spec.end() && v->is_array())
    for (auto& volume : *v)
      set_volume_defaults(volume);
}

void reset_new_pod_status(json& pod) {
  pod["status"] = {{"phase", "Pending"}};
}

/// Names are unique within a container.
void validate_port_name(const json& port, const std::string& path,
                        std::set<std::string>& names, field_errors& out) {
  const auto& name = text_at(port, {"name"});
  if (name.empty())
    return;
  auto wrong = port_name_errors(name);
  for (const auto& why : wrong)
    out.push_back(invalid_value(path, name, why));
  if (wrong.empty() && !names.insert(name).second)
    out.push_back(duplicate_value(path, name));
}

void validate_container_ports(const json& container, const std::string& path,
                              field_errors& out) {
  auto* ports = find_value(container, {"ports"});
  if (!ports || !ports->is_array())
    return;
  std::set<std::string> names;
  for (std::size_t i = 0; i < ports->size(); ++i) {
    auto here = path + ".ports[" + std::to_string(i) + "]";
    validate_port_name((*ports)[i], here + ".name", names, out);
    auto number = number_at((*ports)[i], {"containerPort"}, 0);
    if (number == 0)
      out.push_back(required_value(here + ".containerPort"));
    else if (number < 1 || number > 65535)
      out.push_back(invalid_value(here + ".containerPort", number,
                                  "must be between 1 and 65535, inclusive"));
    auto host = number_at((*ports)[i], {"hostPort"}, 0);
    if (host < 0 || host > 65535)
      out.push_back(invalid_value(here + ".hostPort", host,
                                  "must be between 1 and 65535, inclusive"));
    const auto& protocol = text_at((*ports)[i], {"protocol"});
    if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP")
      out.push_back(unsupported_value(here + ".protocol", protocol,
                                      {"SCTP", "TCP", "UDP"}));
  }
}

/// Of rules for variables these are what a job's author may break without
/// seeing it; names and sources are the node's to judge.
void check_env_values(const json& container, const std::string& path,
                      field_errors& out) {
  auto* env = find_value(container, {"env"});
  if (!env || !env->is_array())
    return;
  for (std::size_t i = 0; i < env->size(); ++i) {
    auto here = path + ".env[" + std::to_string(i) + "]";
    const auto& v = (*env)[i];
    if (text_at(v, {"name"}).empty())
      out.push_back(required_value(here + ".name"));
    if (auto* value = find_value(v, {"value"});
        value && !value->is_string() && !value->is_null())
      out.push_back(invalid_value(here + ".value", *value, "must be a string"));
    if (!text_at(v, {"value"}).empty() && find_value(v, {"valueFrom"}))
      out.push_back(
          invalid_value(here + ".valueFrom", "",
                        "may not be specified when `value` is not empty"));
  }
}

void validate_volume_mounts(const json& container,
                            const std::set<std::string>& volumes,
                            const std::string& path, field_errors& out) {
  auto* mounts = find_value(container, {"volumeMounts"});
  if (!mounts || !mounts->is_array())
    return;
  for (std::size_t i = 0; i < mounts->size(); ++i) {
    auto here = path + ".volumeMounts[" + std::to_string(i) + "]";
    const auto& name = text_at((*mounts)[i], {"name"});
    if (name.empty())
      out.push_back(required_value(here + ".name"));
    else if (volumes.count(name) == 0)
      out.push_back({here + ".name", "FieldValueNotFound",
                     "Not found: " + to_text(name)});
    if (text_at((*mounts)[i], {"mountPath"}).empty())
      out.push_back(required_value(here + ".mountPath"));
  }
}

std::set<std::string> validate_volume_names_and_collect(const json& spec,
                                                        field_errors& out) {
  std::set<std::string> names;
  auto* volumes = find_value(spec, {"volumes"});
  if (!volumes || !volumes->is_array())
    return names;
  for (std::size_t i = 0; i < volumes->size(); ++i) {
    auto here = "spec.volumes[" + std::to_string(i) + "].name";
    const auto& name = text_at((*volumes)[i], {"name"});
    if (name.empty())
      out.push_back(required_value(here));
    else if (auto why = dns1123_label_error(name); !why.empty())
      out.push_back(invalid_value(here, name, why));
    else if (!names.insert(name).second)
      out.push_back(duplicate_value(here, name));
  }
  return names;
}

void validate_container(const json& c, const std::string& path,
                        const std::set<std::string>& volumes,
                        std::set<std::string>& names, field_errors& out) {
  const auto& name = text_at(c, {"name"});
  if (name.empty())
    out.push_back(required_value(path + ".name"));
  else if (auto why = dns1123_label_error(name); !why.empty())
    out.push_back(invalid_value(path + ".name", name, why));
  else if (!names.insert(name).second)
    out.push_back(duplicate_value(path + ".name", name));
  if (text_at(c, {"image"}).empty())
    out.push_back(required_value(path + ".image"));
  const auto& policy = text_at(c, {"imagePullPolicy"});
  if (policy != "Always" && policy != "IfNotPresent" && policy != "Never")
    out.push_back(unsupported_value(path + ".imagePullPolicy", policy,
                                    {"Always", "IfNotPresent", "Never"}));
  validate_container_ports(c, path, out);
  check_env_values(c, path, out);
  validate_volume_mounts(c, volumes, path, out);
}

field_errors validate_pod(const json& pod) {
  field_errors out;
  const auto& spec = pod["spec"];
  auto volumes = validate_volume_names_and_collect(spec, out);
  std::set<std::string> names;
  auto* containers = find_value(spec, {"containers"});
  if (!containers || !containers->is_array() || containers->empty())
    out.push_back(required_value("spec.containers"));
  for (auto list : container_lists) {
    auto* l = find_value(spec, {list});
    if (!l || !l->is_array())
      continue;
    for (std::size_t i = 0; i < l->size(); ++i)
      validate_container(
          (*l)[i], std::string("spec.") + list + "[" + std::to_string(i) + "]",
          volumes, names, out);
  }
  const auto& restart = text_at(spec, {"restartPolicy"});
  if (restart != "Always" && restart != "OnFailure" && restart != "Never")
    out.push_back(unsupported_value("spec.restartPolicy", spec["restartPolicy"],
                                    {"Always", "OnFailure", "Never"}));
  auto grace = number_at(spec, {"terminationGracePeriodSeconds"}, 0);
  if (grace < 0)
    out.push_back(invalid_value("spec.terminationGracePeriodSeconds", grace,
                                "must be greater than or equal to 0"));
  auto deadline = number_at(spec, {"activeDeadlineSeconds"}, 1);
  if (deadline < 1 || deadline > INT32_MAX)
    out.push_back(invalid_value("spec.activeDeadlineSeconds", deadline,
                                "must be between 1 and 2147483647, inclusive"));
  return out;
}

/// The spec without what an update may change.
json without_mutable_pod_fields(json spec) {
  spec.erase("activeDeadlineSeconds");
  spec.erase("tolerations");
  spec.erase("terminationGracePeriodSeconds");
  spec.erase("schedulingGates");
  for (auto list : container_lists)
    if (auto l = spec.find(list); l != spec.end() && l->is_array())
      for (auto& c : *l)
        if (c.is_object())
          c.erase("image");
  return spec;
}

field_errors validate_pod_update(const json& pod, const json& old) {
  if (pod["spec"] == old["spec"]
      || without_mutable_pod_fields(pod["spec"])
             == without_mutable_pod_fields(old["spec"]))
    return {};
  return {forbidden_value(
      "spec", "pod updates may not change fields other than "
              "`spec.containers[*].image`,`spec.initContainers[*].image`,"
              "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions "
              "to existing tolerations),`spec.terminationGracePeriodSeconds` "
              "(allow it to be set to 1 if it was previously negative)")};
}

field_errors validate_pod_phase_change(const json& pod, const json& old) {
  const auto& phase = text_at(pod, {"status", "phase"});
  if (!is_terminal_pod(old) || phase == text_at(old, {"status", "phase"}))
    return {};
  return {forbidden_value("status.phase",
                          "may not change once it is Succeeded or Failed")};
}

} // namespace

bool is_terminal_pod(const json& pod) {
  const auto& phase = text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

write_strategy pod_strategy() {
  return {set_pod_defaults, reset_new_pod_status, nullptr,
          validate_pod,     validate_pod_update,  validate_pod_phase_change};
}

} // namespace troupe::k8s::apiserver
