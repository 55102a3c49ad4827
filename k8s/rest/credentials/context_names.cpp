#include "k8s/rest/credentials/context_names.hpp"

#include "k8s/codec/yaml.hpp"
#include "k8s/general/files.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <cstdlib>

namespace troupe::k8s::rest {

namespace {

std::string environment_or_empty(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> kubeconfig_paths(const std::string& named) {
  if (!named.empty())
    return {named};
  if (auto list = environment_or_empty("KUBECONFIG"); !list.empty())
    return split_without_empty_parts(list, ':');
  return {environment_or_empty("HOME") + "/.kube/config"};
}

} // namespace

std::vector<std::string> find_context_names(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& file : kubeconfig_paths(path)) {
    auto text = read_file(file);
    auto documents = text ? parse_yaml(*text, file)
                          : result<std::vector<yaml_document>>{text.error()};
    if (!documents)
      continue;
    for (const auto& d : *documents)
      for (const auto& context : array_at(d.value, {"contexts"})) {
        const auto& name = text_at(context, {"name"});
        if (!name.empty()
            && std::find(names.begin(), names.end(), name) == names.end())
          names.push_back(name);
      }
  }
  return names;
}

} // namespace troupe::k8s::rest
