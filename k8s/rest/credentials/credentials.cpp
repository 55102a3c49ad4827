#include "k8s/rest/credentials/credentials.hpp"

#include "k8s/general/files.hpp"
#include "k8s/rest/credentials/credential_files.hpp"
#include "k8s/rest/credentials/pem.hpp"
#include "k8s/rest/credentials/proxy_choice.hpp"
#include "k8s/text.hpp"

#include <cstdlib>
#include <sys/stat.h>

namespace troupe::k8s::rest {

namespace {

failure credentials_error(std::string what) {
  return {ec::invalid, std::move(what)};
}

bool path_exists(const std::string& path) {
  struct stat ignored {};
  return ::stat(path.c_str(), &ignored) == 0;
}

std::string environment_variable_or_empty(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The proxy that the environment names for the server, unless there is one.
result<client_config>
with_environment_proxy_unless_set(result<client_config> config) {
  if (!config || !config->proxy_url.empty())
    return config;
  config->proxy_url = choose_proxy(config->server, read_proxy_environment());
  if (config->proxy_url.empty())
    return config;
  if (auto proxy = parse_proxy_url(config->proxy_url); !proxy)
    return credentials_error("HTTPS_PROXY: " + proxy.error().message
                             + "; or name the server in NO_PROXY, to reach "
                             + config->server + " directly");
  return config;
}

result<kubeconfig_text> read_kubeconfig(const std::string& path) {
  auto text = read_file(path);
  if (!text)
    return credentials_error("the kubeconfig " + text.error().message
                             + "; name another with --kubeconfig or "
                               "KUBECONFIG");
  return kubeconfig_text{path, std::move(*text)};
}

/// Of these files, those that exist, as one.
result<client_config>
config_from_existing_kubeconfigs(const std::vector<std::string>& paths,
                                 const std::string& context) {
  std::vector<kubeconfig_text> files;
  for (const auto& path : paths) {
    if (!path_exists(path))
      continue;
    auto file = read_kubeconfig(path);
    if (!file)
      return file.error();
    files.push_back(std::move(*file));
  }
  if (files.empty())
    return credentials_error("KUBECONFIG is " + join(paths, ":")
                             + ", and no such file exists");
  return with_environment_proxy_unless_set(load_kubeconfigs(files, context));
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
  auto ca = read_nonempty_file(dir + "/ca.crt");
  if (!ca)
    return service_account_error(ca.error().message);
  if (auto fault = find_first_authority_pem_error(*ca))
    return service_account_error(dir + "/ca.crt " + *fault);
  c.ca_pem = std::move(*ca);
  if (auto ns = read_trimmed_token_file(dir + "/namespace"))
    c.default_namespace = std::move(*ns);
  c.get_credential = [dir]() -> result<credential> {
    auto token = read_trimmed_token_file(dir + "/token");
    if (!token)
      return token.error();
    // The kubelet renews the file long before the token in it expires.
    return credential{std::move(*token), "", "", std::chrono::minutes{1}};
  };
  if (auto first = c.get_credential(); !first)
    return service_account_error(first.error().message);
  c.get_authorities = [file = dir + "/ca.crt"] {
    return read_nonempty_file(file);
  };
  return with_environment_proxy_unless_set(std::move(c));
}

result<client_config> config_from_kubeconfig(const std::string& path,
                                             const std::string& context) {
  auto file = read_kubeconfig(path);
  if (!file)
    return file.error();
  return with_environment_proxy_unless_set(load_kubeconfigs({*file}, context));
}

result<client_config> load_client_config(const std::string& flag,
                                         const std::string& context) {
  if (!flag.empty())
    return config_from_kubeconfig(flag, context);
  if (auto list = environment_variable_or_empty("KUBECONFIG"); !list.empty())
    return config_from_existing_kubeconfigs(
        split_without_empty_parts(list, ':'), context);
  if (!environment_variable_or_empty("KUBERNETES_SERVICE_HOST").empty())
    return in_cluster_config();
  auto home = environment_variable_or_empty("HOME") + "/.kube/config";
  if (path_exists(home))
    return config_from_kubeconfig(home, context);
  return credentials_error(
      "no cluster to talk to: pass --kubeconfig FILE, set "
      "KUBECONFIG, or run inside a cluster (for a laptop without "
      "one: troupe run FILE)");
}

} // namespace troupe::k8s::rest
