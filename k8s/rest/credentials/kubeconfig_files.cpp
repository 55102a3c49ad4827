#include "k8s/rest/credentials/kubeconfig_files.hpp"

#include "k8s/codec/yaml.hpp"
#include "k8s/json.hpp"

namespace troupe::k8s::rest {

std::string scalar_or_empty(const YAML::Node& node, const std::string& key) {
  if (!node || !node.IsMap())
    return {};
  auto value = node[key];
  return value && value.IsScalar() ? value.as<std::string>() : std::string{};
}

std::string kubeconfig_entry::text(const std::string& key) const {
  return scalar_or_empty(value, key);
}

std::string kubeconfig_entry::resolve_path(const std::string& file) const {
  auto slash = path.rfind('/');
  if (file.empty() || file[0] == '/' || slash == std::string::npos)
    return file;
  return path.substr(0, slash + 1) + file;
}

result<kubeconfig_files>
kubeconfig_files::parse(const std::vector<kubeconfig_text>& files) {
  kubeconfig_files all;
  for (const auto& source : files) {
    all.paths_ += (all.paths_.empty() ? "" : ":") + source.path;
    auto wrong = [&](const std::string& what) {
      return failure{ec::invalid, "the kubeconfig " + source.path + what};
    };
    try {
      auto root = YAML::Load(source.content);
      if (root.IsNull() && files.size() > 1)
        continue; // Among others kubectl takes it for an empty configuration.
      if (!root.IsMap())
        return wrong(" is not a map");
      all.files_.push_back({source, root});
    } catch (const YAML::ParserException& e) {
      return wrong(std::string{" is not YAML: "} + e.what());
    } catch (const YAML::Exception& e) {
      return wrong(std::string{" has a field of the wrong type: "} + e.what());
    }
  }
  return all;
}

std::string kubeconfig_files::current_context() const {
  for (const auto& f : files_)
    if (auto name = scalar_or_empty(f.root, "current-context"); !name.empty())
      return name;
  return {};
}

kubeconfig_entry kubeconfig_files::find_named_entry(const char* list,
                                                    const std::string& name,
                                                    const char* part) const {
  for (const auto& f : files_) {
    auto entries = f.root[list];
    if (!entries || !entries.IsSequence())
      continue;
    for (const auto& entry : entries)
      if (scalar_or_empty(entry, "name") == name)
        if (auto found = entry[part]; found && found.IsMap())
          return {found, f.source.path};
  }
  return {YAML::Node{YAML::NodeType::Undefined}, {}};
}

result<std::string>
kubeconfig_files::find_exec_extension(const std::string& cluster) const {
  auto from = find_named_entry("clusters", cluster, "cluster").path;
  for (const auto& f : files_) {
    if (f.source.path != from)
      continue;
    auto documents = parse_yaml(f.source.content, f.source.path);
    if (!documents)
      return documents.error();
    for (const auto& entry : array_at(documents->front().value, {"clusters"}))
      if (text_at(entry, {"name"}) == cluster)
        for (const auto& e : array_at(entry, {"cluster", "extensions"}))
          if (text_at(e, {"name"}) == "client.authentication.k8s.io/exec")
            return to_text(value_at(e, {"extension"}));
  }
  return std::string{};
}

} // namespace troupe::k8s::rest
