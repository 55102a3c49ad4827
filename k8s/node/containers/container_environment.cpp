#include "k8s/node/containers/container_environment.hpp"

#include "k8s/node/base/pod_fields.hpp"
#include "k8s/node/containers/variable_expansion.hpp"
#include "k8s/node/volumes/resource_fields.hpp"
#include "k8s/text.hpp"

#include <cstdlib>

namespace troupe::k8s::node {

namespace {

using variables = std::map<std::string, std::string>;

bool is_optional_reference(const json& ref) {
  auto* flag = find_value(ref, {"optional"});
  return flag && flag->is_boolean() && flag->get<bool>();
}

start_error retryable_error(std::string why) {
  return {"CreateContainerConfigError", std::move(why), true};
}

start_error permanent_error(std::string why) {
  return {"CreateContainerConfigError", std::move(why), false};
}

/// The key of metadata.labels['key'], if `path` is of that shape.
std::optional<std::string> parse_bracketed_key(const std::string& path,
                                               const std::string& map) {
  auto begin = "metadata." + map + "['";
  if (path.rfind(begin, 0) != 0 || path.size() < begin.size() + 2
      || path.compare(path.size() - 2, 2, "']") != 0)
    return std::nullopt;
  return path.substr(begin.size(), path.size() - begin.size() - 2);
}

/// The value of a fieldRef; nothing if this field is not known.
std::optional<std::string> resolve_field_ref(const json& pod,
                                             const std::string& path,
                                             const pod_sandbox& sandbox) {
  for (auto key : {"name", "namespace", "uid"})
    if (path == std::string{"metadata."} + key)
      return text_at(pod, {"metadata", key});
  for (auto map : {"labels", "annotations"})
    if (auto key = parse_bracketed_key(path, map))
      return text_at(pod, {"metadata", map, key->c_str()});
  if (path == "spec.nodeName")
    return sandbox.node;
  if (path == "spec.serviceAccountName") {
    const auto& name = text_at(pod, {"spec", "serviceAccountName"});
    return name.empty() ? "default" : name;
  }
  if (path == "status.podIP" || path == "status.podIPs")
    return sandbox.address;
  if (path == "status.hostIP" || path == "status.hostIPs")
    return sandbox.host_address;
  return std::nullopt;
}

/// The environment under construction: values see those before them.
class environment_builder {
public:
  environment_builder(const json& pod, const json& container,
                      const pod_sandbox& sandbox, const config_sources& data)
      : pod_(pod)
      , container_(container)
      , sandbox_(sandbox)
      , data_(data) {
    // nop
  }

  std::optional<start_error> add_env_from(const json& source) {
    for (auto [key, kind] : reference_fields_and_kinds("Ref")) {
      auto* ref = find_value(source, {key.c_str()});
      if (!ref)
        continue;
      const variables* found = nullptr;
      if (auto r = find_source_or_error(kind, *ref, found))
        return r;
      if (found)
        for (const auto& [name, value] : *found)
          values_[text_at(source, {"prefix"}) + name] = value;
    }
    return std::nullopt;
  }

  std::optional<start_error> add_variable(const json& variable) {
    const auto& name = text_at(variable, {"name"});
    auto* from = find_value(variable, {"valueFrom"});
    if (!from || !from->is_object()) {
      values_[name] = expand_variables(text_at(variable, {"value"}), values_);
      return std::nullopt;
    }
    std::optional<std::string> value;
    if (auto r = resolve_value_from(*from, value)) {
      r->message = "env " + name + ": " + r->message;
      return r;
    }
    if (value)
      values_[name] = *value;
    return std::nullopt;
  }

  variables take_variables() { return std::move(values_); }

  static std::vector<std::pair<std::string, std::string>>
  reference_fields_and_kinds(const std::string& end) {
    return {{"configMap" + end, "ConfigMap"}, {"secret" + end, "Secret"}};
  }

private:
  /// configmap "m", as a kubelet prints it.
  static std::string describe_source(const std::string& kind,
                                     const std::string& name) {
    return lower_case(kind) + " " + to_quoted(name);
  }

  /// Leaves `found` null if the source is optional and not there.
  std::optional<start_error> find_source_or_error(const std::string& kind,
                                                  const json& ref,
                                                  const variables*& found) {
    const auto& name = text_at(ref, {"name"});
    auto i = data_.find({kind, name});
    if (i == data_.end())
      return retryable_error(describe_source(kind, name) + " not synced");
    if (i->second) {
      found = &*i->second;
      return std::nullopt;
    }
    const auto& why = i->second.error();
    if (why.code != ec::not_found)
      return retryable_error(describe_source(kind, name) + ": " + why.message);
    if (is_optional_reference(ref))
      return std::nullopt;
    return retryable_error(describe_source(kind, name) + " not found");
  }

  std::optional<start_error>
  resolve_value_from(const json& from, std::optional<std::string>& value) {
    if (auto* f = find_value(from, {"fieldRef"})) {
      const auto& path = text_at(*f, {"fieldPath"});
      value = resolve_field_ref(pod_, path, sandbox_);
      return value ? std::nullopt
                   : std::optional<start_error>{
                       permanent_error("unsupported fieldPath: " + path)};
    }
    if (auto* f = find_value(from, {"resourceFieldRef"})) {
      auto text =
          resource_field_text(pod_, &container_, *f, read_host_resources());
      if (!text)
        return permanent_error(text.error().message);
      value = std::move(*text);
      return std::nullopt;
    }
    for (auto [field, kind] : reference_fields_and_kinds("KeyRef"))
      if (auto* ref = find_value(from, {field.c_str()}))
        return resolve_key_ref(kind, *ref, value);
    return permanent_error("unsupported valueFrom: use fieldRef, "
                           "resourceFieldRef, configMapKeyRef or secretKeyRef");
  }

  std::optional<start_error>
  resolve_key_ref(const std::string& kind, const json& ref,
                  std::optional<std::string>& value) {
    const variables* found = nullptr;
    if (auto r = find_source_or_error(kind, ref, found))
      return r;
    const auto& key = text_at(ref, {"key"});
    if (found && found->count(key) > 0)
      value = found->at(key);
    else if (!is_optional_reference(ref))
      return retryable_error("couldn't find key " + key + " in " + kind + " "
                             + pod_ref(pod_).ns + "/" + text_at(ref, {"name"}));
    return std::nullopt;
  }

  const json& pod_;
  const json& container_;
  const pod_sandbox& sandbox_;
  const config_sources& data_;
  variables values_;
};

} // namespace

std::vector<config_source_name>
config_sources_of_environment(const json& container) {
  std::vector<config_source_name> names;
  for (auto [key, kind] :
       environment_builder::reference_fields_and_kinds("Ref"))
    for (const auto& source : list_at(container, "envFrom"))
      if (auto* ref = find_value(source, {key.c_str()}))
        names.emplace_back(kind, text_at(*ref, {"name"}));
  for (auto [key, kind] :
       environment_builder::reference_fields_and_kinds("KeyRef"))
    for (const auto& variable : list_at(container, "env"))
      if (auto* ref = find_value(variable, {"valueFrom", key.c_str()}))
        names.emplace_back(kind, text_at(*ref, {"name"}));
  return names;
}

std::optional<start_error> make_environment_from_manifest(
    const json& pod, const json& container, const pod_sandbox& sandbox,
    const config_sources& data, std::map<std::string, std::string>& env) {
  environment_builder made{pod, container, sandbox, data};
  for (const auto& source : list_at(container, "envFrom"))
    if (auto r = made.add_env_from(source))
      return r;
  for (const auto& variable : list_at(container, "env"))
    if (auto r = made.add_variable(variable))
      return r;
  env = made.take_variables();
  return std::nullopt;
}

namespace {

std::string join_with_commas(const std::vector<int>& numbers) {
  std::string out;
  for (auto n : numbers)
    out += (out.empty() ? "" : ",") + std::to_string(n);
  return out;
}

} // namespace

void add_sandbox_variables(const pod_sandbox& sandbox, variables& env) {
  env.insert(sandbox.inherited.begin(), sandbox.inherited.end());
  env.emplace("HOSTNAME", sandbox.hostname);
  if (!sandbox.gpus.empty())
    env.emplace("CUDA_VISIBLE_DEVICES", join_with_commas(sandbox.gpus));
  // First: the host's own programs of these names know no pods.
  if (!sandbox.tools_directory.empty())
    env["PATH"] = sandbox.tools_directory + "/path:"
                  + (env.count("PATH") > 0 ? env["PATH"] : "/usr/bin:/bin");
  // For this node's own kubectl and its delivery.
  env["TROUPE_POD_NAME"] = sandbox.pod;
  env["TROUPE_PODS"] = sandbox.exec_context_links;
  if (sandbox.isolation != isolation_kind::preload)
    return;
  auto& preload = env["LD_PRELOAD"];
  preload = sandbox.preload_library + (preload.empty() ? "" : ":") + preload;
  env["TROUPE_HOSTNAME"] = sandbox.hostname;
  if (!sandbox.full_name.empty())
    env["TROUPE_FULL_NAME"] = sandbox.full_name;
  for (const auto& search : sandbox.dns_searches)
    env["TROUPE_SEARCHES"] += search + " ";
  env["TROUPE_POD_IP"] = sandbox.address;
  env["TROUPE_HOSTS"] = sandbox.hosts_file;
}

std::map<std::string, std::string> inherited_environment() {
  std::map<std::string, std::string> result;
  for (auto name : {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG",
                    "LC_ALL", "TZ", "TMPDIR", "VIRTUAL_ENV"})
    if (const char* value = std::getenv(name))
      result[name] = value;
  return result;
}

} // namespace troupe::k8s::node
