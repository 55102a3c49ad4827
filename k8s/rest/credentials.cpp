#include "k8s/rest/credentials.hpp"

#include "k8s/rest/credential_files.hpp"
#include "k8s/rest/pem.hpp"
#include "k8s/text.hpp"

#include <cstdlib>
#include <sys/stat.h>

namespace troupe::k8s::rest {

namespace {

failure credentials_error(std::string what) {
  return {ec::invalid, std::move(what)};
}

bool file_exists(const std::string& path) {
  struct stat ignored {};
  return ::stat(path.c_str(), &ignored) == 0;
}

std::string environment_variable_or_empty(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

failure service_account_error(const std::string& why) {
  return credentials_error(
      "in a cluster, but its service account is not usable: " + why
      + "; is automountServiceAccountToken off?");
}

} // namespace

result<client_config> in_cluster_config(const std::string& dir) {
  auto host = environment_variable_or_empty("KUBERNETES_SERVICE_HOST");
  auto port = environment_variable_or_empty("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty())
    return credentials_error("not in a cluster: KUBERNETES_SERVICE_HOST and "
                             "KUBERNETES_SERVICE_PORT are not set");
  client_config c;
  if (host.find(':') != std::string::npos)
    host = "[" + host + "]";
  c.server = "https://" + host + ":" + port;
  c.origin = dir;
  c.in_cluster = true;
  auto ca = read_pem_file(dir + "/ca.crt");
  if (!ca)
    return service_account_error(ca.error().message);
  if (auto fault = check_authorities_pem(*ca))
    return service_account_error(dir + "/ca.crt " + *fault);
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
    return service_account_error(first.error().message);
  return c;
}

result<client_config> load_client_config(const std::string& flag,
                                         const std::string& context) {
  if (!flag.empty())
    return config_from_kubeconfig(flag, context);
  if (auto list = environment_variable_or_empty("KUBECONFIG"); !list.empty()) {
    for (const auto& path : split(list, ':'))
      if (file_exists(path))
        return config_from_kubeconfig(path, context);
    return credentials_error("KUBECONFIG is " + list
                             + ", and no such file exists");
  }
  if (!environment_variable_or_empty("KUBERNETES_SERVICE_HOST").empty())
    return in_cluster_config();
  auto home = environment_variable_or_empty("HOME") + "/.kube/config";
  if (file_exists(home))
    return config_from_kubeconfig(home, context);
  return credentials_error(
      "no cluster to talk to: pass --kubeconfig FILE, set "
      "KUBECONFIG, or run inside a cluster (for a laptop without "
      "one: troupe run FILE)");
}

} // namespace troupe::k8s::rest
