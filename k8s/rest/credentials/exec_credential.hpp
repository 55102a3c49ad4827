#pragma once

#include "k8s/rest/credentials/credentials.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::k8s::rest {

/// users[].user.exec of a kubeconfig.
struct exec_plugin {
  std::string where; ///< File, user and field, for messages.
  std::string api_version;
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string install_hint;
  /// The login that the file itself has, which the plugin's answer overrides.
  /// Never null.
  std::function<result<credential>()> read_fixed = [] {
    return result<credential>{credential{}};
  };
  std::chrono::milliseconds timeout = std::chrono::minutes{1};

  // For KUBERNETES_EXEC_INFO, if the plugin wants to know the cluster.
  bool provide_cluster = false;
  std::string cluster_server;
  std::string cluster_ca_pem;
  std::string cluster_tls_server_name;
  bool cluster_insecure = false;
  std::string cluster_config; ///< JSON text, or "".
};

/// Runs the plugin once, so that a broken one is found at the start, and makes
/// it the source of logins of `c`. Blocks until the plugin has answered or its
/// timeout is over. A login is used until shortly before it expires; if it has
/// no expiry, for an hour, or until it is refused if the plugin fails then.
std::optional<failure>
run_exec_plugin_and_set_credential_source(exec_plugin p, client_config& c);

} // namespace troupe::k8s::rest
