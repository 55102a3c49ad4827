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

failure unusable_kubeconfig(std::string what) {
  return {ec::invalid, std::move(what)};
}

/// The scalar at `key`, or "".
std::string text(const YAML::Node& node, const std::string& key) {
  if (!node || !node.IsMap())
    return {};
  auto value = node[key];
  return value && value.IsScalar() ? value.as<std::string>() : std::string{};
}

/// A kubeconfig under reading: knows where it is, for messages.
class reader {
public:
  explicit reader(std::string path)
      : path_(std::move(path)) {}

  result<client_config> read(const std::string& content,
                             const std::string& wanted_context) {
    try {
      content_ = content;
      root_ = YAML::Load(content);
      if (!root_.IsMap())
        return unusable_kubeconfig("the kubeconfig " + path_ + " is not a map");
      return read_context(wanted_context);
    } catch (const YAML::ParserException& e) {
      return unusable_kubeconfig("the kubeconfig " + path_
                                 + " is not YAML: " + e.what());
    } catch (const YAML::Exception& e) {
      return unusable_kubeconfig("the kubeconfig " + path_
                                 + " has a field of the wrong type: "
                                 + e.what());
    }
  }

private:
  using trouble = std::optional<failure>;

  result<client_config> read_context(const std::string& wanted) {
    auto name = wanted.empty() ? text(root_, "current-context") : wanted;
    if (name.empty())
      return unusable_kubeconfig(
          path_
          + ": current-context is not set; set it with "
            "kubectl config use-context, or pass --context");
    auto context = named("contexts", name, "context");
    if (!context)
      return unusable_kubeconfig(
          path_ + ": there is no context \"" + name
          + "\"; kubectl config get-contexts shows those there "
            "are");
    client_config c;
    c.origin = path_ + " (context " + name + ")";
    if (auto ns = text(context, "namespace"); !ns.empty())
      c.default_namespace = ns;
    auto in_context = path_ + ": context \"" + name + "\" names the ";
    auto cluster_name = text(context, "cluster");
    auto cluster = named("clusters", cluster_name, "cluster");
    if (!cluster)
      return unusable_kubeconfig(in_context + "cluster \"" + cluster_name
                                 + "\", which is not there");
    if (auto bad = read_cluster(cluster, cluster_name, c))
      return *bad;
    auto user_name = text(context, "user");
    if (user_name.empty())
      return c;
    auto user = named("users", user_name, "user");
    if (!user)
      return unusable_kubeconfig(in_context + "user \"" + user_name
                                 + "\", which is not there");
    if (auto bad = read_user(user, user_name, cluster_name, c))
      return *bad;
    return c;
  }

  trouble read_cluster(const YAML::Node& node, const std::string& name,
                       client_config& c) {
    auto where = path_ + ": cluster \"" + name + "\": ";
    c.server = text(node, "server");
    while (!c.server.empty() && c.server.back() == '/')
      c.server.pop_back();
    auto colon = c.server.find("://");
    auto scheme = c.server.substr(0, colon);
    if (colon == std::string::npos || colon + 3 == c.server.size()
        || (scheme != "https" && scheme != "http"))
      return unusable_kubeconfig(
          where + "server is \"" + c.server
          + "\"; it must be https://HOST:PORT or http://HOST:PORT");
    if (c.server.find_first_of(" \t\r\n\"<>?#") != std::string::npos)
      return unusable_kubeconfig(where + "server \"" + c.server
                                 + "\" is no address");
    if (!text(node, "proxy-url").empty())
      return unusable_kubeconfig(
          where
          + "proxy-url is not supported; remove it and name a "
            "server that can be reached directly");
    c.insecure = text(node, "insecure-skip-tls-verify") == "true";
    c.tls_server_name = text(node, "tls-server-name");
    if (auto bad = material(node, "certificate-authority", where, c.ca_pem))
      return bad;
    if (!c.ca_pem.empty())
      if (auto fault = check_authorities(c.ca_pem))
        return unusable_kubeconfig(where + "certificate-authority " + *fault);
    return std::nullopt;
  }

  trouble read_user(const YAML::Node& node, const std::string& name,
                    const std::string& cluster, client_config& c) {
    auto where = path_ + ": user \"" + name + "\": ";
    for (const char* field : {"username", "auth-provider", "as"})
      if (node[field])
        return unusable_kubeconfig(
            where + field
            + " is not supported; certificates, tokens and exec "
              "plugins are");
    credential fixed;
    if (auto bad = read_pair(node, where, fixed))
      return bad;
    if (auto file = text(node, "tokenFile"); !file.empty()) {
      // It wins over `token`, and is read again as it may be renewed.
      file = resolved(file);
      c.get_credential = [file, where, fixed]() -> result<credential> {
        auto token = read_token_file(file);
        if (!token)
          return unusable_kubeconfig(where
                                     + "tokenFile: " + token.error().message);
        auto l = fixed;
        l.token = std::move(*token);
        l.life = std::chrono::minutes{1};
        return l;
      };
      if (auto first = c.get_credential(); !first)
        return first.error();
      return std::nullopt;
    }
    fixed.token = text(node, "token");
    if (fixed.token.empty() && node["exec"])
      return read_exec(node["exec"], where, cluster, fixed, c);
    c.get_credential = [fixed] { return result<credential>{fixed}; };
    return std::nullopt;
  }

  trouble read_pair(const YAML::Node& node, const std::string& where,
                    credential& l) {
    if (auto bad =
            material(node, "client-certificate", where, l.client_cert_pem))
      return bad;
    if (auto bad = material(node, "client-key", where, l.client_key_pem))
      return bad;
    if (l.client_cert_pem.empty() != l.client_key_pem.empty())
      return unusable_kubeconfig(
          where
          + "client-certificate and client-key belong together; "
            "one of them is missing");
    if (!l.client_cert_pem.empty())
      if (auto fault = check_key_pair(l.client_cert_pem, l.client_key_pem))
        return unusable_kubeconfig(where + *fault);
    return std::nullopt;
  }

  trouble read_exec(const YAML::Node& node, const std::string& where,
                    const std::string& cluster, credential fixed,
                    client_config& c) {
    exec_plugin p;
    p.where = where + "exec: ";
    p.fixed = std::move(fixed);
    p.api_version = text(node, "apiVersion");
    p.command = text(node, "command");
    p.install_hint = text(node, "installHint");
    if (p.command.empty())
      return unusable_kubeconfig(p.where + "command is missing");
    if (text(node, "interactiveMode") == "Always")
      return unusable_kubeconfig(
          p.where
          + "interactiveMode is Always, but there is nobody to "
            "ask; use a plugin that works unattended");
    // A path with a slash is relative to the kubeconfig, a name is looked up.
    if (p.command.find('/') != std::string::npos)
      p.command = resolved(p.command);
    for (const auto& a : node["args"])
      p.args.push_back(a.as<std::string>());
    for (const auto& e : node["env"])
      p.env.emplace_back(text(e, "name"), text(e, "value"));
    if (text(node, "provideClusterInfo") == "true") {
      p.provide_cluster = true;
      p.cluster_server = c.server;
      p.cluster_ca_pem = c.ca_pem;
      p.cluster_tls_server_name = c.tls_server_name;
      p.cluster_insecure = c.insecure;
      auto extension = exec_extension(cluster);
      if (!extension)
        return extension.error();
      p.cluster_config = std::move(*extension);
    }
    return use_exec_plugin(std::move(p), c);
  }

  /// FIELD-data (base64) or FIELD (a file).
  trouble material(const YAML::Node& node, const std::string& field,
                   const std::string& where, std::string& into) {
    if (auto encoded = text(node, field + "-data"); !encoded.empty()) {
      auto decoded = from_base64(encoded);
      if (!decoded)
        return unusable_kubeconfig(where + field + "-data is not base64");
      into = std::move(*decoded);
    } else if (auto file = text(node, field); !file.empty()) {
      auto content = read_pem_file(resolved(file));
      if (!content)
        return unusable_kubeconfig(where + field + ": "
                                   + content.error().message);
      into = std::move(*content);
    }
    return std::nullopt;
  }

  YAML::Node named(const char* list, const std::string& name,
                   const char* part) {
    auto entries = root_[list];
    if (entries && entries.IsSequence())
      for (const auto& entry : entries)
        if (text(entry, "name") == name)
          if (auto found = entry[part]; found && found.IsMap())
            return found;
    return YAML::Node{YAML::NodeType::Undefined};
  }

  std::string resolved(const std::string& file) const {
    auto slash = path_.rfind('/');
    if (file.empty() || file[0] == '/' || slash == std::string::npos)
      return file;
    return path_.substr(0, slash + 1) + file;
  }

  /// What a cluster has for exec plugins, as JSON text; "" if nothing.
  result<std::string> exec_extension(const std::string& cluster) const {
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

result<client_config> from_kubeconfig(const std::string& path,
                                      const std::string& context) {
  auto text = read_file(path);
  if (!text)
    return unusable_kubeconfig(
        "the kubeconfig " + text.error().message
        + "; name another with --kubeconfig or KUBECONFIG");
  return parse_kubeconfig(*text, path, context);
}

result<client_config> parse_kubeconfig(const std::string& text,
                                       const std::string& path,
                                       const std::string& context) {
  return reader{path}.read(text, context);
}

} // namespace troupe::k8s::rest
