#pragma once

#include "k8s/api.hpp"
#include "k8s/apiserver/api_server.hpp"
#include "k8s/http/server.hpp"
#include "k8s/result.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// What clients may cost it. On a laptop all have one address: kubectl, an
/// operator with 64 connections and a watch of each kind (measured: 93 in all),
/// a node, and one for each `exec`, log and port-forward of people and
/// launchers.
inline http::limits api_server_limits() {
  http::limits l;
  l.connections = 4000;
  l.connections_per_client = 3800; ///< Some are left to other machines; about
                                   ///< half as many if all speak TLS.
  l.request_bytes = 192u << 20;
  l.request_bytes_per_client = 160u << 20;
  return l;
}

/// How a control plane is set up.
struct control_plane_options {
  std::string address = "127.0.0.1:0"; ///< As http::listen takes it.
  std::vector<std::string> crds;       ///< Definitions as JSON texts.
  std::string data_directory; ///< Where objects are kept; "": in memory only.
  server_environment environment;
  http::limits limits = api_server_limits();
  std::vector<std::string> names; ///< Further ones of it, for its certificate.
  std::chrono::milliseconds garbage_collection_period{200};
};

/// Where `troupe explain` finds the operator; no path of Kubernetes. For the
/// administrator only.
inline constexpr const char* operator_path = "/troupe/operator";

/// The operator in the process of the API server.
struct local_operator {
  bool is_there = false;
  std::string admin_url; ///< Of its admin endpoint; "" if it has none.
};

/// An API server on a socket, with garbage collection: what `troupe up` runs
/// where a cluster would have its control plane. Everything inside is confined
/// to the server's one thread; the members here may be called from any other.
/// Every request has to show the token, which is another one each time, or
/// that of a service account. With a data directory the token, the authority of
/// the certificate and the key of service accounts' tokens are kept there.
class control_plane {
public:
  virtual ~control_plane() = default; ///< Closes everything, joins the thread.

  /// "https://127.0.0.1:34567".
  virtual std::string server_url() const = 0;
  /// "https://laptop:34567", as other machines call it, if they can: it listens
  /// on all addresses. "" if it does not.
  virtual std::string url_for_other_machines() const = 0;
  /// "http://127.0.0.1:34567", for clients on this machine: what stays inside
  /// it need not be encrypted.
  virtual std::string local_http_url() const = 0;
  /// Serves clients of a further socket, too, which listens; takes it.
  virtual result<nothing> add_listening_socket(int socket) = 0;
  /// What GET operator_path answers: {"operator": true, "admin": "http..."}.
  virtual void set_local_operator(local_operator o) = 0;
  /// What of the data directory was damaged and set aside at the start: a line
  /// for each, for the user.
  virtual std::vector<std::string> data_damage() const = 0;
  /// The bearer token. A secret: not for logs, command lines, environments.
  virtual const std::string& token() const = 0;
  /// A kubeconfig for kubectl and everything else, with the token. TLS, since
  /// kubectl and all of client-go show tokens to nobody without.
  virtual std::string kubeconfig() const = 0;
  /// An api for use inside this process; must not outlive the control plane.
  /// Its requests are those of `user`; without one they are not asked for
  /// rights.
  virtual std::unique_ptr<api> make_local_api(user_ptr user = nullptr) = 0;
  /// A token of a service account, for `lifetime`.
  virtual result<std::string>
  make_service_account_token(const std::string& ns, const std::string& name,
                             std::chrono::seconds lifetime) = 0;
  /// Runs `f` with the API server, on its thread, and waits for it.
  virtual void
  run_on_server_thread_and_wait(const std::function<void(api_server&)>& f) = 0;
};

/// Starts one. A bad address or a CRD that is refused is an error that names
/// it.
result<std::unique_ptr<control_plane>>
start_control_plane(control_plane_options o);

} // namespace troupe::k8s::apiserver
