#pragma once

#include "k8s/result.hpp"

#include <memory>
#include <string>

namespace troupe::cli {

/// A kubeconfig that contains a token. Only its owner can read it. This object
/// removes the file, so that it exists no longer than the cluster that it
/// names.
class kubeconfig_file {
public:
  /// Replaces an existing file as a whole; fails if the path is anything other
  /// than a plain file.
  static k8s::result<std::unique_ptr<kubeconfig_file>>
  create(const std::string& path, const std::string& text);

  ~kubeconfig_file();
  kubeconfig_file(const kubeconfig_file&) = delete;
  kubeconfig_file& operator=(const kubeconfig_file&) = delete;

private:
  explicit kubeconfig_file(std::string path)
      : path_(std::move(path)) {}

  std::string path_;
};

} // namespace troupe::cli
