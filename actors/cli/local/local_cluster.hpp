#pragma once

#include "config/settings.hpp"
#include "k8s/api.hpp"
#include "k8s/apiserver/api_server.hpp"
#include "k8s/node/base/isolation.hpp"
#include "k8s/node/simulation.hpp"
#include "k8s/result.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::cli {

struct local_options {
  std::string listen = "127.0.0.1:0"; ///< Of the API server.
  std::string run_directory;          ///< For logs and the like.
  std::string data_directory;         ///< Where objects are kept; "": nowhere.
  bool with_node = true;
  /// Pods do this instead of running programs.
  std::optional<k8s::node::simulation> simulated;
  k8s::node::isolation_kind isolation = k8s::node::isolation_kind::preload;
  /// Where pods work and write; "": the current directory, in copies of their
  /// own as far as the isolation provides these.
  std::string work_directory;
  /// Directories of claims, by their names.
  std::map<std::string, std::string> volumes;
  bool with_operator = true;
  /// Whether the user has said who may ask di-server. If not, only pods of the
  /// job may ask, provided that pods have addresses of their own.
  bool is_di_server_access_said = false;
  /// With RBAC the operator is the account that it has in clusters, with the
  /// role that is shipped.
  k8s::apiserver::authorization_mode authorization =
      k8s::apiserver::authorization_mode::always_allow;
  config::settings settings; ///< Of the operator.
};

/// A cluster inside this process: an API server, a node and an operator, which
/// talk over HTTP as they would elsewhere. Its destructor ends every process of
/// every pod.
class local_cluster {
public:
  virtual ~local_cluster() = default;
  virtual std::string server_url() const = 0;
  /// The URL for other machines; "" if they cannot reach it.
  virtual std::string url_from_other_machines_or_empty() const = 0;
  virtual std::string kubeconfig() const = 0; ///< The text of one.
  virtual std::shared_ptr<k8s::api> client() const = 0;
  /// "http://127.0.0.1:8082" of the operator; "" if it is off.
  virtual std::string admin_url() const = 0;
  virtual bool is_ready() const = 0; ///< The operator sees all, or is off.
  /// The calls that the API server has refused to the operator for lack of a
  /// right since the last call of this function.
  virtual std::vector<std::string> take_operator_refusals() = 0;
  virtual void ensure_namespace_ignoring_errors(const std::string& name) = 0;
  /// What keeps the pods of the host's own node apart.
  virtual k8s::node::isolation_report pod_isolation() const = 0;
};

/// A line about the authorization for the start; "" if it is AlwaysAllow.
std::string describe_authorization(k8s::apiserver::authorization_mode mode);

/// Starts one; nothing is left running if it fails.
k8s::result<std::unique_ptr<local_cluster>>
start_local_cluster(local_options o);

} // namespace troupe::cli
