#include "actors/cli/admin_connection.hpp"

#include "actors/cli/operator_pod.hpp"
#include "actors/cli/send_and_wait.hpp"
#include "config/defaults.hpp"
#include "k8s/request_counts.hpp"
#include "k8s/rest/port_forward.hpp"
#include "k8s/rest/rest_api.hpp"

namespace troupe::cli {

namespace {

const std::string& usual_address() {
  static const std::string url =
      "http://" + std::string{config::defaults::admin_address};
  return url;
}

admin_connection connect_to_address(const std::string& url) {
  return {make_client(url), url, "default", nullptr};
}

bool is_anybody_listening(const admin_connection& c) {
  auto answer =
      send_and_wait(*c.client, make_get_request("/admin/v1/settings"));
  return answer || answer.error().code != k8s::ec::unreachable;
}

/// Whether the API server may be that of `troupe up`, whose operator is in no
/// pod.
bool is_on_this_machine(const std::string& server) {
  auto host = k8s::host_and_port(server);
  return host.rfind("127.", 0) == 0 || host.rfind("localhost", 0) == 0
         || host.rfind("[::1]", 0) == 0;
}

k8s::result<admin_connection>
connect_through_cluster(const admin_options& o, k8s::rest::client_config who) {
  admin_connection c;
  c.default_namespace = who.default_namespace;
  c.cluster = k8s::rest::make_rest_api(who);
  auto pod = find_operator_pod(*c.cluster, o.operator_namespace);
  if (!pod && pod.error().code == k8s::ec::not_found
      && is_on_this_machine(who.server))
    return connect_to_address(usual_address());
  if (!pod)
    return k8s::failure{pod.error().code,
                        who.server + ": " + pod.error().message};
  c.where = "pod " + pod->ns + "/" + pod->name + " of " + who.server;
  c.client = k8s::rest::make_port_forward_api(
      std::move(who), {pod->ns, pod->name, pod->admin_port});
  return c;
}

} // namespace

k8s::result<admin_connection> connect_to_admin(const admin_options& o) {
  if (!o.url.empty())
    return connect_to_address(o.url);
  bool cluster_was_named = !o.kubeconfig.empty() || !o.context.empty()
                           || !o.operator_namespace.empty();
  if (!cluster_was_named)
    if (auto here = connect_to_address(usual_address());
        is_anybody_listening(here))
      return here;
  auto who = k8s::rest::find_client_config(o.kubeconfig, o.context);
  if (!who && cluster_was_named)
    return who.error();
  if (!who)
    return k8s::failure{k8s::ec::unreachable,
                        "no operator listens at " + usual_address()
                            + ", and there is no cluster to look in: "
                            + who.error().message
                            + "; name one with --admin URL or --kubeconfig"};
  return connect_through_cluster(o, std::move(*who));
}

} // namespace troupe::cli
