#pragma once

#include "k8s/rest/credentials/credentials.hpp"

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

namespace troupe::k8s::rest {

/// A context, cluster or user of a kubeconfig, and the path of its file.
struct kubeconfig_entry {
  YAML::Node value; ///< A map; undefined if there is no such entry.
  std::string path; ///< Of the file that has it.

  explicit operator bool() const { return value.IsDefined(); }
  /// The scalar at `key`, or "".
  std::string text(const std::string& key) const;
  /// A path in the entry is relative to its file. "" stays "".
  std::string resolve_path(const std::string& file) const;
};

/// Several kubeconfigs that are read as one: the first that has an entry
/// counts.
class kubeconfig_files {
public:
  /// ec::invalid for a text that is not YAML or not a map. Accessors may throw
  /// YAML::Exception, for fields of the wrong type.
  static result<kubeconfig_files>
  parse(const std::vector<kubeconfig_text>& files);

  /// The paths of all files: "a:b".
  const std::string& paths() const { return paths_; }
  /// "" if none is set.
  std::string current_context() const;
  kubeconfig_entry context(const std::string& name) const {
    return find_named_entry("contexts", name, "context");
  }
  kubeconfig_entry cluster(const std::string& name) const {
    return find_named_entry("clusters", name, "cluster");
  }
  kubeconfig_entry user(const std::string& name) const {
    return find_named_entry("users", name, "user");
  }

  /// The extension of a cluster for exec plugins, as JSON text; "" if it has
  /// none.
  result<std::string> find_exec_extension(const std::string& cluster) const;

private:
  struct file {
    kubeconfig_text source;
    YAML::Node root;
  };

  kubeconfig_entry find_named_entry(const char* list, const std::string& name,
                                    const char* part) const;

  std::string paths_;
  std::vector<file> files_;
};

/// The scalar at `key`, or "".
std::string scalar_or_empty(const YAML::Node& node, const std::string& key);

} // namespace troupe::k8s::rest
