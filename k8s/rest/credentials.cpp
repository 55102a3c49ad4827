#include "k8s/rest/credentials.hpp"

#include "k8s/rest/credential_files.hpp"
#include "k8s/rest/pem.hpp"
#include "k8s/text.hpp"

#include <cstdlib>
#include <sys/stat.h>

namespace troupe::k8s::rest {

namespace {

failure no_credentials(std::string what) {
  return {ec::invalid, std::move(what)};
}

bool exists(const std::string& path) {
  struct stat ignored {};
  return ::stat(path.c_str(), &ignored) == 0;
}

std::string environment_variable_or_empty(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

failure no_service_account(const std::string& why) {
  return no_credentials("in a cluster, but its service account is not usable: "
                        + why + "; is automountServiceAccountToken off?");
}

} // namespace

result<client_config> in_cluster(const std::string& dir) {
  auto host = environment_variable_or_empty("KUBERNETES_SERVICE_HOST");
  auto port = environment_variable_or_empty("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty())
    return no_credentials("not in a cluster: KUBERNETES_SERVICE_HOST and "
                          "KUBERNETES_SERVICE_PORT are not set");
  client_config c;
  if (host.find(':') != std::string::npos)
    host = "[" + host + "]";
  c.server = "https://" + host + ":" + port;
  c.origin = dir;
  c.in_cluster = true;
  auto ca = read_pem_file(dir + "/ca.crt");
  if (!ca)
    return no_service_account(ca.error().message);
  if (auto fault = check_authorities(*ca))
    return no_service_account(dir + "/ca.crt " + *fault);
  c.ca_pem = std::move(*ca);
  if (auto ns = read_token_file(dir + "/namespace"))
    c.default_namespace = std::move(*ns);
  c.get_credential = [dir]() -> result<credential> {
    auto token = read_token_file(dir + "/token");
    if (!token)
      return token.error();
    // The kubelet renews the file long before the token in it expires.
    return credential{std::move(*token), "", "", std::chrono::minutes{1}};
  };
  if (auto first = c.get_credential(); !first)
    return no_service_account(first.error().message);
  return c;
}

result<client_config> find_client_config(const std::string& flag,
                                         const std::string& context) {
  if (!flag.empty())
    return from_kubeconfig(flag, context);
  if (auto list = environment_variable_or_empty("KUBECONFIG"); !list.empty()) {
    for (const auto& path : split(list, ':'))
      if (exists(path))
        return from_kubeconfig(path, context);
    return no_credentials("KUBECONFIG is " + list
                          + ", and no such file exists");
  }
  if (!environment_variable_or_empty("KUBERNETES_SERVICE_HOST").empty())
    return in_cluster();
  auto home = environment_variable_or_empty("HOME") + "/.kube/config";
  if (exists(home))
    return from_kubeconfig(home, context);
  return no_credentials(
      "no cluster to talk to: pass --kubeconfig FILE, set "
      "KUBECONFIG, or run inside a cluster (for a laptop without "
      "one: troupe run FILE)");
}

} // namespace troupe::k8s::rest
