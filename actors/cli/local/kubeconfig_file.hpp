#pragma once

#include "k8s/result.hpp"

#include <memory>
#include <string>

namespace troupe::cli {

/// A kubeconfig with a token in it, as long as the cluster is there that it
/// leads to; removed with this object. Made readable for its owner only.
class kubeconfig_file {
public:
  /// Replaces what is there as a whole, if that is a file and nothing else.
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
