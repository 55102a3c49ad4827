#pragma once

#include "k8s/api.hpp"
#include "k8s/apiserver/api_server.hpp"
#include "k8s/http/server.hpp"
#include "k8s/result.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// The limits for clients. On a laptop all have one address: kubectl, an
/// operator with 64 connections and a watch of each kind (measured: 93 in all),
/// a node, and one for each `exec`, log and port-forward of people and
/// launchers.
inline http::limits api_server_limits() {
  http::limits l;
  l.connections = 4000;
  /// Some are left to other machines; about half as many if all speak TLS.
  l.connections_per_client = 3800;
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
  /// Further names of the server, for its certificate.
  std::vector<std::string> names;
  std::chrono::milliseconds garbage_collection_period{200};
};

/// The path at which `troupe explain` finds the operator; not a path of
/// Kubernetes. For the administrator only.
inline constexpr const char* operator_path = "/troupe/operator";

/// The operator in the process of the API server.
struct local_operator {
  bool is_there = false;
  std::string admin_url; ///< Of its admin endpoint; "" if it has none.
};

/// An API server on a socket, with garbage collection: `troupe up` runs it in
/// the place of a cluster's control plane. Everything inside is confined to the
/// server's one thread; the members here may be called from any other. Every
/// request has to carry the token, which is new for each run, or that of a
/// service account. With a data directory the token, the authority of the
/// certificate and the key of service accounts' tokens are kept there.
class control_plane {
public:
  virtual ~control_plane() = default; ///< Closes everything, joins the thread.

  /// "https://127.0.0.1:34567".
  virtual std::string server_url() const = 0;
  /// "https://laptop:34567", for other machines, if the server listens on all
  /// addresses; "" if it does not.
  virtual std::string url_for_other_machines_or_empty() const = 0;
  /// "http://127.0.0.1:34567", for clients on this machine, inside of which
  /// nothing has to be encrypted.
  virtual std::string local_http_url() const = 0;
  /// Serves the clients of a further listening socket, too; takes ownership of
  /// it.
  virtual result<nothing> add_listening_socket(int socket) = 0;
  /// Sets the answer to GET operator_path: {"operator": true, "admin":
  /// "http..."}.
  virtual void set_local_operator(local_operator o) = 0;
  /// A line for the user for each part of the data directory that was found
  /// damaged at the start and set aside.
  virtual std::vector<std::string> data_damage() const = 0;
  /// The bearer token. A secret: not for logs, command lines, environments.
  virtual const std::string& token() const = 0;
  /// A kubeconfig for kubectl and all other clients, with the token. It uses
  /// TLS, since kubectl and all of client-go send no token without it.
  virtual std::string kubeconfig() const = 0;
  /// An api for use inside this process; must not outlive the control plane.
  /// Its requests are those of `user`; without a user their rights are not
  /// checked.
  virtual std::unique_ptr<api> make_local_api(user_ptr user = nullptr) = 0;
  /// A token of a service account, for `lifetime`.
  virtual result<std::string>
  make_service_account_token(const std::string& ns, const std::string& name,
                             std::chrono::seconds lifetime) = 0;
  /// Runs `f` with the API server, on its thread, and waits for it.
  virtual void
  run_on_server_thread_and_wait(const std::function<void(api_server&)>& f) = 0;
};

/// Starts a control plane. A bad address or a refused CRD gives an error that
/// names it.
result<std::unique_ptr<control_plane>>
start_control_plane(control_plane_options o);

} // namespace troupe::k8s::apiserver
