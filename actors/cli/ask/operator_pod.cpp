#include "actors/cli/ask/operator_pod.hpp"

#include "actors/cli/base/send_and_wait.hpp"
#include "config/settings.hpp"
#include "k8s/calls.hpp"
#include "k8s/json.hpp"

#include <charconv>

namespace troupe::cli {

using k8s::array_at;
using k8s::text_at;
using nlohmann::json;

namespace {

constexpr const char* selector = "control-plane=kubeflow-training-operator";
constexpr const char* usual_namespace = "kubeflow";

bool is_running_and_not_deleted(const json& pod) {
  return text_at(pod, {"status", "phase"}) == "Running"
         && text_at(pod, {"metadata", "deletionTimestamp"}).empty();
}

bool is_ready(const json& pod) {
  for (const auto& c : array_at(pod, {"status", "conditions"}))
    if (text_at(c, {"type"}) == "Ready")
      return is_running_and_not_deleted(pod)
             && text_at(c, {"status"}) == "True";
  return false;
}

/// The value of a flag in the arguments of the first container, or "".
std::string container_flag_value(const json& pod, const std::string& name) {
  const auto& containers = array_at(pod, {"spec", "containers"});
  if (containers.empty())
    return {};
  const auto& args = array_at(containers[0], {"args"});
  for (std::size_t i = 0; i < args.size(); ++i) {
    auto text = text_at(args[i], {});
    text.erase(0, text.find_first_not_of('-'));
    if (text == name && i + 1 < args.size())
      return text_at(args[i + 1], {});
    if (text.rfind(name + "=", 0) == 0)
      return text.substr(name.size() + 1);
  }
  return {};
}

k8s::result<operator_pod> operator_pod_with_admin_port(const json& pod) {
  operator_pod found{text_at(pod, {"metadata", "namespace"}),
                     text_at(pod, {"metadata", "name"}), 0};
  auto address = container_flag_value(pod, "admin-bind-address");
  if (address.empty())
    address = config::settings{}.admin_address;
  auto digits = address.substr(address.rfind(':') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(),
                  found.admin_port);
  if (found.admin_port == 0)
    return k8s::failure{k8s::ec::not_found,
                        "pod " + found.ns + "/" + found.name
                            + " has no admin endpoint: its argument "
                              "--admin-bind-address is "
                            + address};
  return found;
}

/// The pods with the operator's label. Who may not list them everywhere gets
/// those of the usual namespace.
k8s::result<json>
list_operator_pods_with_namespace_fallback(k8s::api& client,
                                           const std::string& ns) {
  auto list = [&](const std::string& where) {
    return send_and_wait(
        client, k8s::list({k8s::resources::pods, where, selector, ""}, 0, ""));
  };
  auto pods = list(ns);
  bool narrower =
      ns.empty() && !pods && pods.error().code == k8s::ec::forbidden;
  return narrower ? list(usual_namespace) : pods;
}

} // namespace

k8s::result<operator_pod> choose_operator_pod(const json& pods,
                                              const json& lease) {
  const auto& all = array_at(pods, {"items"});
  // POD_PID...; a pod's name has no `_`.
  auto holder = text_at(lease, {"spec", "holderIdentity"});
  holder.erase(std::min(holder.find('_'), holder.size()));
  for (const auto& pod : all)
    if (is_running_and_not_deleted(pod)
        && text_at(pod, {"metadata", "name"}) == holder)
      return operator_pod_with_admin_port(pod);
  for (const auto& pod : all)
    if (is_ready(pod))
      return operator_pod_with_admin_port(pod);
  return k8s::failure{k8s::ec::not_found,
                      all.empty()
                          ? std::string{"no pod has the label "} + selector
                                + "; name the operator's namespace with "
                                  "--operator-namespace, or its admin address "
                                  "with --admin"
                          : std::string{"no pod with the label "} + selector
                                + " is ready"};
}

k8s::result<operator_pod> find_operator_pod(k8s::api& client,
                                            const std::string& ns) {
  auto pods = list_operator_pods_with_namespace_fallback(client, ns);
  if (!pods)
    return pods.error();
  const auto& all = array_at(*pods, {"items"});
  json lease;
  if (!all.empty()) {
    auto found = send_and_wait(
        client, k8s::get({k8s::resources::leases,
                          text_at(all[0], {"metadata", "namespace"}),
                          config::settings{}.leader_election_id}));
    if (found)
      lease = std::move(*found);
  }
  return choose_operator_pod(*pods, lease);
}

} // namespace troupe::cli
