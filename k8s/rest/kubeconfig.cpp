#include "k8s/base64.hpp"
#include "k8s/files.hpp"
#include "k8s/rest/credential_files.hpp"
#include "k8s/rest/credentials.hpp"
#include "k8s/rest/exec_credential.hpp"
#include "k8s/rest/pem.hpp"
#include "k8s/yaml.hpp"

#include <yaml-cpp/yaml.h>

#include <optional>

namespace troupe::k8s::rest {

namespace {

failure kubeconfig_error(std::string what) {
  return {ec::invalid, std::move(what)};
}

/// The scalar at `key`, or "".
std::string scalar_or_empty(const YAML::Node& node, const std::string& key) {
  if (!node || !node.IsMap())
    return {};
  auto value = node[key];
  return value && value.IsScalar() ? value.as<std::string>() : std::string{};
}

/// A kubeconfig under reading: knows where it is, for messages.
class kubeconfig_reader {
public:
  explicit kubeconfig_reader(std::string path)
      : path_(std::move(path)) {}

  result<client_config> read(const std::string& content,
                             const std::string& wanted_context) {
    try {
      content_ = content;
      root_ = YAML::Load(content);
      if (!root_.IsMap())
        return kubeconfig_error("the kubeconfig " + path_ + " is not a map");
      return read_context(wanted_context);
    } catch (const YAML::ParserException& e) {
      return kubeconfig_error("the kubeconfig " + path_
                              + " is not YAML: " + e.what());
    } catch (const YAML::Exception& e) {
      return kubeconfig_error("the kubeconfig " + path_
                              + " has a field of the wrong type: " + e.what());
    }
  }

private:
  using optional_failure = std::optional<failure>;

  result<client_config> read_context(const std::string& wanted) {
    auto name =
        wanted.empty() ? scalar_or_empty(root_, "current-context") : wanted;
    if (name.empty())
      return kubeconfig_error(
          path_
          + ": current-context is not set; set it with "
            "kubectl config use-context, or pass --context");
    auto context = find_named_entry("contexts", name, "context");
    if (!context)
      return kubeconfig_error(
          path_ + ": there is no context \"" + name
          + "\"; kubectl config get-contexts shows those there "
            "are");
    client_config c;
    c.origin = path_ + " (context " + name + ")";
    if (auto ns = scalar_or_empty(context, "namespace"); !ns.empty())
      c.default_namespace = ns;
    auto in_context = path_ + ": context \"" + name + "\" names the ";
    auto cluster_name = scalar_or_empty(context, "cluster");
    auto cluster = find_named_entry("clusters", cluster_name, "cluster");
    if (!cluster)
      return kubeconfig_error(in_context + "cluster \"" + cluster_name
                              + "\", which is not there");
    if (auto bad = read_cluster(cluster, cluster_name, c))
      return *bad;
    auto user_name = scalar_or_empty(context, "user");
    if (user_name.empty())
      return c;
    auto user = find_named_entry("users", user_name, "user");
    if (!user)
      return kubeconfig_error(in_context + "user \"" + user_name
                              + "\", which is not there");
    if (auto bad = read_user(user, user_name, cluster_name, c))
      return *bad;
    return c;
  }

  optional_failure read_cluster(const YAML::Node& node, const std::string& name,
                                client_config& c) {
    auto where = path_ + ": cluster \"" + name + "\": ";
    c.server = scalar_or_empty(node, "server");
    while (!c.server.empty() && c.server.back() == '/')
      c.server.pop_back();
    auto colon = c.server.find("://");
    auto scheme = c.server.substr(0, colon);
    if (colon == std::string::npos || colon + 3 == c.server.size()
        || (scheme != "https" && scheme != "http"))
      return kubeconfig_error(
          where + "server is \"" + c.server
          + "\"; it must be https://HOST:PORT or http://HOST:PORT");
    if (c.server.find_first_of(" \t\r\n\"<>?#") != std::string::npos)
      return kubeconfig_error(where + "server \"" + c.server
                              + "\" is no address");
    if (!scalar_or_empty(node, "proxy-url").empty())
      return kubeconfig_error(
          where
          + "proxy-url is not supported; remove it and name a "
            "server that can be reached directly");
    c.insecure = scalar_or_empty(node, "insecure-skip-tls-verify") == "true";
    c.tls_server_name = scalar_or_empty(node, "tls-server-name");
    if (auto bad =
            read_data_or_file(node, "certificate-authority", where, c.ca_pem))
      return bad;
    if (!c.ca_pem.empty())
      if (auto fault = check_authorities_pem(c.ca_pem))
        return kubeconfig_error(where + "certificate-authority " + *fault);
    return std::nullopt;
  }

  optional_failure read_user(const YAML::Node& node, const std::string& name,
                             const std::string& cluster, client_config& c) {
    auto where = path_ + ": user \"" + name + "\": ";
    for (const char* field : {"username", "auth-provider", "as"})
      if (node[field])
        return kubeconfig_error(
            where + field
            + " is not supported; certificates, tokens and exec "
              "plugins are");
    credential fixed;
    if (auto bad = read_certificate_and_key(node, where, fixed))
      return bad;
    if (auto file = scalar_or_empty(node, "tokenFile"); !file.empty()) {
      // It wins over `token`, and is read again as it may be renewed.
      file = resolve_path(file);
      c.get_credential = [file, where, fixed]() -> result<credential> {
        auto token = read_token_file(file);
        if (!token)
          return kubeconfig_error(where
                                  + "tokenFile: " + token.error().message);
        auto cred = fixed;
        cred.token = std::move(*token);
        cred.life = std::chrono::minutes{1};
        return cred;
      };
      if (auto first = c.get_credential(); !first)
        return first.error();
      return std::nullopt;
    }
    fixed.token = scalar_or_empty(node, "token");
    if (fixed.token.empty() && node["exec"])
      return read_exec_plugin(node["exec"], where, cluster, fixed, c);
    c.get_credential = [fixed] { return result<credential>{fixed}; };
    return std::nullopt;
  }

  optional_failure read_certificate_and_key(const YAML::Node& node,
                                            const std::string& where,
                                            credential& cred) {
    if (auto bad = read_data_or_file(node, "client-certificate", where,
                                     cred.client_cert_pem))
      return bad;
    if (auto bad =
            read_data_or_file(node, "client-key", where, cred.client_key_pem))
      return bad;
    if (cred.client_cert_pem.empty() != cred.client_key_pem.empty())
      return kubeconfig_error(
          where
          + "client-certificate and client-key belong together; "
            "one of them is missing");
    if (!cred.client_cert_pem.empty())
      if (auto fault =
              check_key_pair(cred.client_cert_pem, cred.client_key_pem))
        return kubeconfig_error(where + *fault);
    return std::nullopt;
  }

  optional_failure read_exec_plugin(const YAML::Node& node,
                                    const std::string& where,
                                    const std::string& cluster,
                                    credential fixed, client_config& c) {
    exec_plugin p;
    p.where = where + "exec: ";
    p.fixed = std::move(fixed);
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
      p.command = resolve_path(p.command);
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
      auto extension = find_exec_extension(cluster);
      if (!extension)
        return extension.error();
      p.cluster_config = std::move(*extension);
    }
    return run_exec_plugin_and_set_credential_source(std::move(p), c);
  }

  /// FIELD-data (base64) or FIELD (a file).
  optional_failure read_data_or_file(const YAML::Node& node,
                                     const std::string& field,
                                     const std::string& where,
                                     std::string& into) {
    if (auto encoded = scalar_or_empty(node, field + "-data");
        !encoded.empty()) {
      auto decoded = from_base64(encoded);
      if (!decoded)
        return kubeconfig_error(where + field + "-data is not base64");
      into = std::move(*decoded);
    } else if (auto file = scalar_or_empty(node, field); !file.empty()) {
      auto content = read_pem_file(resolve_path(file));
      if (!content)
        return kubeconfig_error(where + field + ": " + content.error().message);
      into = std::move(*content);
    }
    return std::nullopt;
  }

  YAML::Node find_named_entry(const char* list, const std::string& name,
                              const char* part) {
    auto entries = root_[list];
    if (entries && entries.IsSequence())
      for (const auto& entry : entries)
        if (scalar_or_empty(entry, "name") == name)
          if (auto found = entry[part]; found && found.IsMap())
            return found;
    return YAML::Node{YAML::NodeType::Undefined};
  }

  std::string resolve_path(const std::string& file) const {
    auto slash = path_.rfind('/');
    if (file.empty() || file[0] == '/' || slash == std::string::npos)
      return file;
    return path_.substr(0, slash + 1) + file;
  }

  /// What a cluster has for exec plugins, as JSON text; "" if nothing.
  result<std::string> find_exec_extension(const std::string& cluster) const {
    auto documents = parse_yaml(content_, path_);
    if (!documents)
      return documents.error();
    for (const auto& entry : array_at(documents->front().value, {"clusters"}))
      if (text_at(entry, {"name"}) == cluster)
        for (const auto& e : array_at(entry, {"cluster", "extensions"}))
          if (text_at(e, {"name"}) == "client.authentication.k8s.io/exec")
            return to_text(value_at(e, {"extension"}));
    return std::string{};
  }

  std::string path_;
  std::string content_;
  YAML::Node root_;
};

} // namespace

result<client_config> config_from_kubeconfig(const std::string& path,
                                             const std::string& context) {
  auto text = read_file(path);
  if (!text)
    return kubeconfig_error("the kubeconfig " + text.error().message
                            + "; name another with --kubeconfig or KUBECONFIG");
  return parse_kubeconfig(*text, path, context);
}

result<client_config> parse_kubeconfig(const std::string& text,
                                       const std::string& path,
                                       const std::string& context) {
  return kubeconfig_reader{path}.read(text, context);
}

} // namespace troupe::k8s::rest
