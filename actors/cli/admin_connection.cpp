#include "actors/cli/admin_connection.hpp"

#include "actors/cli/operator_pod.hpp"
#include "actors/cli/send_and_wait.hpp"
#include "config/defaults.hpp"
#include "k8s/files.hpp"
#include "k8s/request_counts.hpp"
#include "k8s/rest/port_forward.hpp"
#include "k8s/rest/rest_api.hpp"

#include <tuple>

namespace troupe::cli {

namespace {

const std::string& usual_address() {
  static const std::string url =
      "http://" + std::string{config::defaults::admin_address};
  return url;
}

/// What the operator asks for, and what its certificate has to be signed by.
struct admin_credential {
  std::string token;
  std::string ca_pem;
};

k8s::result<admin_credential> read_credential(const admin_options& o) {
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

admin_connection connect_to_address(const std::string& url,
                                    const admin_credential& c) {
  return {make_client(url, c.token, c.ca_pem), url, "default", nullptr};
}

/// Whether an operator answers, and not another program.
bool is_operator(const admin_connection& c) {
  auto answer =
      send_and_wait(*c.client, make_get_request("/admin/v1/settings"));
  return answer
         || (answer.error().code != k8s::ec::unreachable
             && answer.error().code != k8s::ec::not_found
             && answer.error().code != k8s::ec::garbage);
}

/// Whether the API server may be that of `troupe up`, whose operator is in no
/// pod.
bool is_on_this_machine(const std::string& server) {
  auto host = k8s::host_and_port(server);
  return host.rfind("127.", 0) == 0 || host.rfind("localhost", 0) == 0
         || host.rfind("[::1]", 0) == 0;
}

k8s::result<admin_connection>
connect_through_cluster(const admin_options& o, const admin_credential& own,
                        k8s::rest::client_config who) {
  admin_connection c;
  c.default_namespace = who.default_namespace;
  c.cluster = k8s::rest::make_rest_api(who);
  auto pod = find_operator_pod(*c.cluster, o.operator_namespace);
  if (!pod && pod.error().code == k8s::ec::not_found
      && is_on_this_machine(who.server))
    return connect_to_address(usual_address(), own);
  if (!pod)
    return k8s::failure{pod.error().code,
                        who.server + ": " + pod.error().message};
  c.where = "pod " + pod->ns + "/" + pod->name + " of " + who.server;
  c.client = k8s::rest::make_port_forward_api(
      std::move(who), {pod->ns, pod->name, pod->admin_port, own.token});
  return c;
}

} // namespace

k8s::result<admin_connection> connect_to_admin(const admin_options& o) {
  auto own = read_credential(o);
  if (!own)
    return own.error();
  if (!o.url.empty())
    return connect_to_address(o.url, *own);
  bool cluster_was_named = !o.kubeconfig.empty() || !o.context.empty()
                           || !o.operator_namespace.empty();
  if (!cluster_was_named)
    if (auto here = connect_to_address(usual_address(), *own);
        is_operator(here))
      return here;
  auto who = k8s::rest::find_client_config(o.kubeconfig, o.context);
  if (who)
    return connect_through_cluster(o, *own, std::move(*who));
  if (cluster_was_named)
    return who.error();
  return k8s::failure{k8s::ec::unreachable,
                      "no operator answers at " + usual_address()
                          + " (name another address with --admin URL), and "
                            "there is "
                          + who.error().message};
}

} // namespace troupe::cli
