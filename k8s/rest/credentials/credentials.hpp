#pragma once

#include "k8s/result.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace troupe::k8s::rest {

/// What proves who we are, and for how long.
struct credential {
  std::string token;            ///< The bearer token, "" for none.
  std::string client_cert_pem;  ///< With its chain; "" for none.
  std::string client_key_pem;   ///< Not encrypted; "" for none.
  std::chrono::seconds life{0}; ///< Look again after this; 0 means never.
  /// It is good for so long, if looking again fails; 0: until it is refused.
  std::chrono::seconds valid{0};
};

/// How to reach and convince one API server. Plain values, read once, except
/// for the login and the authorities, which may change while we run.
struct client_config {
  std::string server;          ///< "https://host:port", no slash at the end.
  std::string ca_pem;          ///< "" means the system's authorities.
  std::string tls_server_name; ///< "" means the host of `server`.
  bool insecure = false;       ///< insecure-skip-tls-verify.
  std::string
      proxy_url; ///< "http://HOST:PORT" (proxy_choice.hpp); "" for none.
  std::string default_namespace = "default"; ///< Of the context.
  std::string origin;      ///< File and context, for messages.
  bool in_cluster = false; ///< The login is the service account of our pod.

  /// The login to use now. May read a file or run a credential plugin, so it
  /// may block for a moment: call it off the actors' threads and from one
  /// thread at a time. Never null.
  std::function<result<credential>()> get_credential = [] {
    return result<credential>{credential{}};
  };

  /// Reads `ca_pem` again, if that is of a file; else null. Blocks and is
  /// called as get_credential.
  std::function<result<std::string>()> get_authorities = {};
};

/// A kubeconfig; `path` is where it is from, for messages and relative paths.
struct kubeconfig_text {
  std::string path;
  std::string content;
};

/// Reads kubeconfigs as one, as kubectl does: of the contexts, clusters and
/// users with one name the first counts, and of the current-contexts the first
/// that is set; relative paths are relative to the file that they stand in.
///
/// Read are contexts, CA, certificate and key as file or data, token,
/// tokenFile, `exec` plugins (with env, args, expiry), tls-server-name,
/// proxy-url. Certificates and keys are tried here, so that a broken one is
/// named here. What files contain is read again while we run, once a minute at
/// most. `context` "" means current-context. Errors name the file, the field
/// and what to do.
result<client_config>
parse_kubeconfigs(const std::vector<kubeconfig_text>& files,
                  const std::string& context = "");

/// The same of one.
result<client_config> parse_kubeconfig(const std::string& text,
                                       const std::string& path,
                                       const std::string& context = "");

/// The same of one file. If it names no proxy, the environment may.
result<client_config> config_from_kubeconfig(const std::string& path,
                                             const std::string& context = "");

/// The service account of the pod we run in, as mounted at `dir`; its token and
/// authorities are read again as the kubelet rotates them (at the latest after
/// one minute). The environment may name a proxy.
result<client_config> in_cluster_config(
    const std::string& dir = "/var/run/secrets/kubernetes.io/serviceaccount");

/// What `operator` uses: `flag` if not empty, else $KUBECONFIG (those files of
/// the list that exist), else in-cluster, else ~/.kube/config.
result<client_config> load_client_config(const std::string& flag,
                                         const std::string& context = "");

} // namespace troupe::k8s::rest
