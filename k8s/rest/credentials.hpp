#pragma once

#include "k8s/result.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace troupe::k8s::rest {

/// What proves who we are, and for how long.
struct credential {
  std::string token;            ///< The bearer token, "" for none.
  std::string client_cert_pem;  ///< With its chain; "" for none.
  std::string client_key_pem;   ///< Not encrypted; "" for none.
  std::chrono::seconds life{0}; ///< Look again after this; 0 means never.
};

/// How to reach and convince one API server. Plain values, read once, except
/// for the login, which may change while we run.
struct client_config {
  std::string server;          ///< "https://host:port", no slash at the end.
  std::string ca_pem;          ///< "" means the system's authorities.
  std::string tls_server_name; ///< "" means the host of `server`.
  bool insecure = false;       ///< insecure-skip-tls-verify.
  std::string default_namespace = "default"; ///< Of the context.
  std::string origin;      ///< File and context, for messages.
  bool in_cluster = false; ///< The login is the service account of our pod.

  /// The login to use now. May read a file or run a credential plugin, so it
  /// may block for a moment: call it off the actors' threads and from one
  /// thread at a time. Never null.
  std::function<result<credential>()> get_credential = [] {
    return result<credential>{credential{}};
  };
};

/// Reads a kubeconfig file: contexts, CA, certificate and key as file or data,
/// token, tokenFile, `exec` plugins (with env, args, expiry). Certificates and
/// keys are tried here, so that a broken one is named here. Relative paths are
/// relative to the file. `context` "" means current-context.
/// Errors name the file, the field and what to do.
result<client_config> config_from_kubeconfig(const std::string& path,
                                             const std::string& context = "");

/// The same for text; `path` is where it is from, for messages and for relative
/// paths.
result<client_config> parse_kubeconfig(const std::string& text,
                                       const std::string& path,
                                       const std::string& context = "");

/// The service account of the pod we run in, as mounted at `dir`; its token is
/// read again as the kubelet rotates it (at the latest after one minute).
result<client_config> in_cluster_config(
    const std::string& dir = "/var/run/secrets/kubernetes.io/serviceaccount");

/// What `operator` uses: `flag` if not empty, else $KUBECONFIG (the first file
/// of the list that exists), else in-cluster, else ~/.kube/config.
result<client_config> load_client_config(const std::string& flag,
                                         const std::string& context = "");

} // namespace troupe::k8s::rest
