#pragma once

#include "k8s/result.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace troupe::k8s::rest {

/// A login, and how long it may be used.
struct credential {
  std::string token;            ///< The bearer token, "" for none.
  std::string client_cert_pem;  ///< With its chain; "" for none.
  std::string client_key_pem;   ///< Not encrypted; "" for none.
  std::chrono::seconds life{0}; ///< Read again after this; 0 means never.
  /// How long it may be used if it cannot be read again; 0: until it is
  /// refused.
  std::chrono::seconds valid{0};
};

/// How to reach one API server and log in there. Plain values, read once,
/// except the login and the authorities, which may change while we run.
struct client_config {
  std::string server;          ///< "https://host:port", no slash at the end.
  std::string ca_pem;          ///< "" means the system's authorities.
  std::string tls_server_name; ///< "" means the host of `server`.
  bool insecure = false;       ///< insecure-skip-tls-verify.
  /// "http://HOST:PORT" (proxy_choice.hpp); "" for none.
  std::string proxy_url;
  std::string default_namespace = "default"; ///< Of the context.
  std::string origin;      ///< File and context, for messages.
  bool in_cluster = false; ///< The login is the service account of our pod.

  /// The login to use now. May read a file or run a credential plugin, so it
  /// may block for a moment: call it off the actors' threads and from one
  /// thread at a time. Never null.
  std::function<result<credential>()> get_credential = [] {
    return result<credential>{credential{}};
  };

  /// Reads `ca_pem` again if it comes from a file; otherwise null. May block,
  /// and must be called as get_credential must.
  std::function<result<std::string>()> get_authorities = {};
};

/// A kubeconfig; messages and relative paths need its `path`.
struct kubeconfig_text {
  std::string path;
  std::string content;
};

/// Reads several kubeconfigs as one, as kubectl does. Of several contexts,
/// clusters or users with one name the first counts; so does the first
/// current-context that is set. Relative paths are relative to the file that
/// has them.
///
/// It reads contexts, CA, certificate and key as file or data, token,
/// tokenFile, `exec` plugins (with env, args, expiry), tls-server-name and
/// proxy-url. It checks certificates and keys and runs an exec plugin, so that
/// a broken one is named here. Files that it names are read again while we run,
/// at most once a minute. `context` "" means current-context. Errors name the
/// file, the field and the remedy.
result<client_config>
load_kubeconfigs(const std::vector<kubeconfig_text>& files,
                 const std::string& context = "");

/// The same for one kubeconfig.
result<client_config> load_kubeconfig(const std::string& text,
                                      const std::string& path,
                                      const std::string& context = "");

/// The same for one file. If it names no proxy, the environment's is used.
result<client_config> config_from_kubeconfig(const std::string& path,
                                             const std::string& context = "");

/// The service account of the pod we run in, as mounted at `dir`; its token and
/// authorities are read again as the kubelet rotates them (at the latest after
/// one minute). The environment may name a proxy.
result<client_config> in_cluster_config(
    const std::string& dir = "/var/run/secrets/kubernetes.io/serviceaccount");

/// The configuration that `operator` uses: `flag` if not empty, else
/// $KUBECONFIG (the files of its list that exist), else in-cluster, else
/// ~/.kube/config.
result<client_config> load_client_config(const std::string& flag,
                                         const std::string& context = "");

} // namespace troupe::k8s::rest
