#include "actors/cli/ask/admin_connection.hpp"

#include "actors/cli/ask/operator_pod.hpp"
#include "actors/cli/base/send_and_wait.hpp"
#include "config/settings.hpp"
#include "k8s/apiserver/control_plane.hpp"
#include "k8s/general/addresses.hpp"
#include "k8s/general/files.hpp"
#include "k8s/json.hpp"
#include "k8s/rest/port_forward.hpp"
#include "k8s/rest/rest_api.hpp"

#include <cstdlib>
#include <optional>
#include <tuple>

namespace troupe::cli {

namespace {

const std::string& default_admin_address() {
  static const std::string url = "http://" + config::settings{}.admin_address;
  return url;
}

/// What the operator asks for, and what its certificate has to be signed by.
struct admin_credential {
  std::string token;
  std::string ca_pem;
};

k8s::result<admin_credential> read_admin_credential(const admin_options& o) {
  admin_credential c;
  for (auto [path, flag, text] :
       {std::tuple{&o.token_file, "--admin-token-file: ", &c.token},
        std::tuple{&o.ca_file, "--admin-ca-file: ", &c.ca_pem}}) {
    if (path->empty())
      continue;
    auto read = k8s::read_file(*path);
    if (!read)
      return k8s::failure{read.error().code, flag + read.error().message};
    *text = std::move(*read);
  }
  c.token.erase(c.token.find_last_not_of(" \r\n") + 1);
  return c;
}

admin_connection make_address_connection(const std::string& url,
                                         const admin_credential& c) {
  return {make_client(url, c.token, c.ca_pem), url, "default", nullptr};
}

/// Whether an operator answers, and not another program.
bool does_operator_answer(const admin_connection& c) {
  auto answer =
      send_and_wait(*c.client, make_get_request("/admin/v1/settings"));
  return answer
         || (answer.error().code != k8s::ec::unreachable
             && answer.error().code != k8s::ec::not_found
             && answer.error().code != k8s::ec::garbage);
}

/// Whether the API server may be that of `troupe up`, whose operator is in no
/// pod.
bool is_loopback_url(const std::string& server) {
  return k8s::is_localhost_or_loopback(
      k8s::split_host_and_port(k8s::host_and_port_of_url(server)).first);
}

/// The same server, by whichever names of this machine.
bool is_same_server(const std::string& a, const std::string& b) {
  return a == b
         || (is_loopback_url(a) && is_loopback_url(b)
             && k8s::split_host_and_port(a).second
                    == k8s::split_host_and_port(b).second);
}

/// The operator in the process of the API server; nullopt if there is none, or
/// it is another API server.
std::optional<k8s::result<std::string>>
find_url_of_local_operator(k8s::api& cluster, const std::string& server) {
  if (!is_loopback_url(server))
    return std::nullopt;
  auto answer =
      send_and_wait(cluster, make_get_request(k8s::apiserver::operator_path));
  if (!answer || !k8s::bool_at(*answer, {"operator"}))
    return std::nullopt;
  auto url = k8s::text_at(*answer, {"admin"});
  if (url.empty())
    return k8s::failure{k8s::ec::not_found,
                        server
                            + ": the operator of this cluster has no admin "
                              "endpoint; --admin-bind-address gives it one"};
  if (!is_loopback_url(url)) // The admin token would be sent there.
    return k8s::failure{k8s::ec::garbage,
                        server
                            + ": names an admin endpoint of another machine"};
  return k8s::result<std::string>{url};
}

/// Whether the operator at this address works for the API server.
bool does_operator_use_api_server(const admin_connection& c,
                                  const std::string& server) {
  auto answer = send_and_wait(*c.client, make_get_request("/admin/v1/cluster"));
  return answer
         && is_same_server(k8s::text_at(*answer, {"apiServer"}),
                           k8s::host_and_port_of_url(server));
}

k8s::result<admin_connection>
connect_through_cluster(const admin_options& o,
                        const admin_credential& credential,
                        k8s::rest::client_config cluster_config) {
  const auto server = cluster_config.server;
  std::shared_ptr<k8s::api> cluster = k8s::rest::make_rest_api(cluster_config);
  auto at_address = [&](const std::string& url) {
    auto c = make_address_connection(url, credential);
    c.default_namespace = cluster_config.default_namespace;
    c.cluster = cluster;
    return c;
  };
  if (auto url = find_url_of_local_operator(*cluster, server)) {
    if (!*url)
      return url->error();
    return at_address(**url);
  }
  auto pod = find_operator_pod(*cluster, o.operator_namespace);
  if (!pod) {
    if (auto here = at_address(default_admin_address());
        does_operator_use_api_server(here, server))
      return here;
    return k8s::failure{pod.error().code, server + ": " + pod.error().message};
  }
  admin_connection c;
  c.default_namespace = cluster_config.default_namespace;
  c.cluster = cluster;
  c.where = "pod " + pod->ns + "/" + pod->name + " of " + server;
  c.client = k8s::rest::make_port_forward_api(
      std::move(cluster_config),
      {pod->ns, pod->name, pod->admin_port, credential.token});
  return c;
}

bool is_kubeconfig_named(const admin_options& o) {
  const char* variable = std::getenv("KUBECONFIG");
  return !o.kubeconfig.empty() || !o.context.empty()
         || !o.operator_namespace.empty() || (variable && *variable);
}

} // namespace

k8s::result<admin_connection> connect_to_admin(const admin_options& o) {
  auto credential = read_admin_credential(o);
  if (!credential)
    return credential.error();
  if (!o.url.empty())
    return make_address_connection(o.url, *credential);
  bool is_named = is_kubeconfig_named(o);
  if (!is_named)
    if (auto here =
            make_address_connection(default_admin_address(), *credential);
        does_operator_answer(here))
      return here;
  auto cluster_config = k8s::rest::load_client_config(o.kubeconfig, o.context);
  if (cluster_config)
    return connect_through_cluster(o, *credential, std::move(*cluster_config));
  if (is_named)
    return cluster_config.error();
  return k8s::failure{k8s::ec::unreachable,
                      "no operator answers at " + default_admin_address()
                          + " (name another address with --admin URL), and "
                            "there is "
                          + cluster_config.error().message};
}

} // namespace troupe::cli
