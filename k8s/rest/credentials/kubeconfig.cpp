#include "k8s/general/base64.hpp"
#include "k8s/rest/credentials/credential_files.hpp"
#include "k8s/rest/credentials/credentials.hpp"
#include "k8s/rest/credentials/exec_credential.hpp"
#include "k8s/rest/credentials/kubeconfig_files.hpp"
#include "k8s/rest/credentials/pem.hpp"
#include "k8s/rest/credentials/proxy_choice.hpp"
#include "k8s/rest/credentials/server_address.hpp"

#include <optional>

namespace troupe::k8s::rest {

namespace {

using optional_failure = std::optional<failure>;

failure kubeconfig_error(std::string what) {
  return {ec::invalid, std::move(what)};
}

/// What a user's certificate, key and token are read from.
struct login_source {
  std::string where; ///< File and user, for messages.
  pem_source certificate;
  pem_source key;
  std::string token;
  std::string token_file; ///< It wins over `token`.

  bool has_files() const {
    return certificate.is_file() || key.is_file() || !token_file.empty();
  }

  result<credential> read() const {
    credential c;
    auto cert = certificate.read();
    if (!cert)
      return kubeconfig_error(where
                              + "client-certificate: " + cert.error().message);
    auto its_key = key.read();
    if (!its_key)
      return kubeconfig_error(where + "client-key: " + its_key.error().message);
    if (!cert->empty())
      if (auto fault = find_key_pair_error(*cert, *its_key))
        return kubeconfig_error(where + *fault);
    c.client_cert_pem = std::move(*cert);
    c.client_key_pem = std::move(*its_key);
    c.token = token;
    if (!token_file.empty()) {
      auto read_token = read_trimmed_token_file(token_file);
      if (!read_token)
        return kubeconfig_error(where
                                + "tokenFile: " + read_token.error().message);
      c.token = std::move(*read_token);
    }
    if (has_files()) // They may be renewed.
      c.life = std::chrono::minutes{1};
    return c;
  }
};

/// Reads one context of kubeconfigs.
class kubeconfig_reader {
public:
  explicit kubeconfig_reader(const kubeconfig_files& files)
      : files_(files) {}

  result<client_config> read_context(const std::string& wanted) {
    auto name = wanted.empty() ? files_.current_context() : wanted;
    if (name.empty())
      return kubeconfig_error(
          files_.paths()
          + ": current-context is not set; set it with "
            "kubectl config use-context, or pass --context");
    auto context = files_.context(name);
    if (!context)
      return kubeconfig_error(
          files_.paths() + ": there is no context \"" + name
          + "\"; kubectl config get-contexts shows those there "
            "are");
    client_config c;
    c.origin = context.path + " (context " + name + ")";
    if (auto ns = context.text("namespace"); !ns.empty())
      c.default_namespace = ns;
    auto in_context = context.path + ": context \"" + name + "\" names the ";
    auto cluster_name = context.text("cluster");
    auto cluster = files_.cluster(cluster_name);
    if (!cluster)
      return kubeconfig_error(in_context + "cluster \"" + cluster_name
                              + "\", which is not there");
    if (auto bad = read_cluster(cluster, cluster_name, c))
      return *bad;
    auto user_name = context.text("user");
    if (user_name.empty())
      return c;
    auto user = files_.user(user_name);
    if (!user)
      return kubeconfig_error(in_context + "user \"" + user_name
                              + "\", which is not there");
    if (auto bad = read_user(user, user_name, cluster_name, c))
      return *bad;
    return c;
  }

private:
  static optional_failure read_cluster(const kubeconfig_entry& cluster,
                                       const std::string& name,
                                       client_config& c) {
    auto where = cluster.path + ": cluster \"" + name + "\": ";
    c.server = cluster.text("server");
    while (!c.server.empty() && c.server.back() == '/')
      c.server.pop_back();
    if (auto fault = find_server_url_error(c.server))
      return kubeconfig_error(where + *fault);
    c.proxy_url = cluster.text("proxy-url");
    if (!c.proxy_url.empty())
      if (auto proxy = parse_proxy_url(c.proxy_url); !proxy)
        return kubeconfig_error(where + "proxy-url: " + proxy.error().message);
    c.insecure = cluster.text("insecure-skip-tls-verify") == "true";
    c.tls_server_name = cluster.text("tls-server-name");
    return read_authorities(cluster, where, c);
  }

  /// What is wrong with the address of a server.
  static std::optional<std::string>
  find_server_url_error(const std::string& server) {
    auto colon = server.find("://");
    auto scheme = server.substr(0, colon);
    if (colon == std::string::npos || colon + 3 == server.size()
        || (scheme != "https" && scheme != "http"))
      return "server is \"" + server
             + "\"; it must be https://HOST:PORT or http://HOST:PORT";
    auto host = parse_server_address_unchecked(server).authority;
    if (std::count(host.begin(), host.end(), ':') > 1 && host.front() != '[')
      return "server is \"" + server
             + "\"; an IPv6 address is written https://[ADDRESS]:PORT";
    if (server.find_first_of(" \t\r\n\"<>?#@") != std::string::npos)
      return "server \"" + server + "\" is no address";
    return std::nullopt;
  }

  static optional_failure read_authorities(const kubeconfig_entry& cluster,
                                           const std::string& where,
                                           client_config& c) {
    pem_source source;
    if (auto bad = read_data_or_file_path(cluster, "certificate-authority",
                                          where, source))
      return bad;
    auto pem = source.read();
    if (!pem)
      return kubeconfig_error(
          where + "certificate-authority: " + pem.error().message);
    if (!pem->empty())
      if (auto fault = find_first_authority_pem_error(*pem))
        return kubeconfig_error(where + "certificate-authority " + *fault);
    c.ca_pem = std::move(*pem);
    if (source.is_file())
      c.get_authorities = [source] { return source.read(); };
    return std::nullopt;
  }

  optional_failure read_user(const kubeconfig_entry& user,
                             const std::string& name,
                             const std::string& cluster, client_config& c) {
    auto where = user.path + ": user \"" + name + "\": ";
    for (const char* field : {"username", "auth-provider", "as"})
      if (user.value[field])
        return kubeconfig_error(
            where + field
            + " is not supported; certificates, tokens and exec "
              "plugins are");
    login_source login;
    login.where = where;
    if (auto bad = read_data_or_file_path(user, "client-certificate", where,
                                          login.certificate))
      return bad;
    if (auto bad = read_data_or_file_path(user, "client-key", where, login.key))
      return bad;
    if (login.certificate.is_given() != login.key.is_given())
      return kubeconfig_error(
          where
          + "client-certificate and client-key belong together; "
            "one of them is missing");
    login.token_file = user.resolve_path(user.text("tokenFile"));
    login.token = user.text("token");
    auto first = login.read();
    if (!first)
      return first.error();
    if (first->token.empty() && user.value["exec"])
      return read_and_run_exec_plugin(user, where, cluster, login, c);
    c.get_credential = [login] { return login.read(); };
    return std::nullopt;
  }

  optional_failure read_and_run_exec_plugin(const kubeconfig_entry& user,
                                            const std::string& where,
                                            const std::string& cluster,
                                            const login_source& login,
                                            client_config& c) {
    const auto node = user.value["exec"];
    exec_plugin p;
    p.where = where + "exec: ";
    p.read_fixed = [login] { return login.read(); };
    p.api_version = scalar_or_empty(node, "apiVersion");
    p.command = scalar_or_empty(node, "command");
    p.install_hint = scalar_or_empty(node, "installHint");
    if (p.command.empty())
      return kubeconfig_error(p.where + "command is missing");
    if (scalar_or_empty(node, "interactiveMode") == "Always")
      return kubeconfig_error(
          p.where
          + "interactiveMode is Always, but there is nobody to "
            "ask; use a plugin that works unattended");
    // A path with a slash is relative to the kubeconfig, a name is looked up.
    if (p.command.find('/') != std::string::npos)
      p.command = user.resolve_path(p.command);
    for (const auto& a : node["args"])
      p.args.push_back(a.as<std::string>());
    for (const auto& e : node["env"])
      p.env.emplace_back(scalar_or_empty(e, "name"),
                         scalar_or_empty(e, "value"));
    if (scalar_or_empty(node, "provideClusterInfo") == "true") {
      p.provide_cluster = true;
      p.cluster_server = c.server;
      p.cluster_ca_pem = c.ca_pem;
      p.cluster_tls_server_name = c.tls_server_name;
      p.cluster_insecure = c.insecure;
      auto extension = files_.find_exec_extension(cluster);
      if (!extension)
        return extension.error();
      p.cluster_config = std::move(*extension);
    }
    return run_exec_plugin_and_set_credential_source(std::move(p), c);
  }

  /// FIELD-data (base64) or FIELD (a file).
  static optional_failure read_data_or_file_path(const kubeconfig_entry& entry,
                                                 const std::string& field,
                                                 const std::string& where,
                                                 pem_source& into) {
    if (auto encoded = entry.text(field + "-data"); !encoded.empty()) {
      auto decoded = from_base64(encoded);
      if (!decoded)
        return kubeconfig_error(where + field + "-data is not base64");
      into.text = std::move(*decoded);
    } else {
      into.file = entry.resolve_path(entry.text(field));
    }
    return std::nullopt;
  }

  const kubeconfig_files& files_;
};

} // namespace

result<client_config>
load_kubeconfigs(const std::vector<kubeconfig_text>& files,
                 const std::string& context) {
  auto all = kubeconfig_files::parse(files);
  if (!all)
    return all.error();
  try {
    return kubeconfig_reader{*all}.read_context(context);
  } catch (const YAML::Exception& e) {
    return kubeconfig_error("the kubeconfig " + all->paths()
                            + " has a field of the wrong type: " + e.what());
  }
}

result<client_config> load_kubeconfig(const std::string& text,
                                      const std::string& path,
                                      const std::string& context) {
  return load_kubeconfigs({{path, text}}, context);
}

} // namespace troupe::k8s::rest
