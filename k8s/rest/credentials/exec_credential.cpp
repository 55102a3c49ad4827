#include "k8s/rest/credentials/exec_credential.hpp"

#include "k8s/general/base64.hpp"
#include "k8s/general/child_output.hpp"
#include "k8s/json.hpp"
#include "k8s/objects.hpp"
#include "k8s/rest/credentials/pem.hpp"

#include <algorithm>
#include <memory>
#include <unistd.h>

namespace troupe::k8s::rest {

namespace {

using std::chrono::seconds;

failure exec_plugin_failure(const exec_plugin& p, const std::string& what) {
  return {ec::invalid, p.where + what};
}

/// KUBERNETES_EXEC_INFO.
std::string exec_info_json(const exec_plugin& p) {
  json spec{{"interactive", false}};
  if (p.provide_cluster) {
    auto& cluster = spec["cluster"] = {{"server", p.cluster_server}};
    if (!p.cluster_ca_pem.empty())
      cluster["certificate-authority-data"] = to_base64(p.cluster_ca_pem);
    if (!p.cluster_tls_server_name.empty())
      cluster["tls-server-name"] = p.cluster_tls_server_name;
    if (p.cluster_insecure)
      cluster["insecure-skip-tls-verify"] = true;
    if (!p.cluster_config.empty())
      cluster["config"] = parse_json_or_null(p.cluster_config);
  }
  json info{{"apiVersion", p.api_version},
            {"kind", "ExecCredential"},
            {"spec", spec}};
  return to_text(info);
}

/// Our environment with the plugin's additions.
std::vector<std::string> plugin_environment(const exec_plugin& p) {
  std::vector<std::string> out{"KUBERNETES_EXEC_INFO=" + exec_info_json(p)};
  for (const auto& [name, value] : p.env)
    out.push_back(name + "=" + value);
  auto has = [&out](const std::string& entry) {
    auto name = entry.substr(0, entry.find('=') + 1);
    return std::any_of(out.begin(), out.end(), [&](const std::string& other) {
      return other.compare(0, name.size(), name) == 0;
    });
  };
  for (char** e = environ; *e; ++e)
    if (std::string entry{*e}; !has(entry))
      out.push_back(std::move(entry));
  return out;
}

/// How long a login may be used, and how long if the plugin fails then.
void set_times_of_expiry(credential& cred, const std::string& expiry) {
  auto expires = from_rfc3339(expiry);
  if (!expires) {
    cred.life = std::chrono::hours{1};
    cred.valid = seconds{0};
    return;
  }
  constexpr seconds least{10};
  auto left = std::chrono::duration_cast<seconds>(
      *expires - std::chrono::system_clock::now());
  // A little early, so that no call leaves with a login about to expire.
  cred.life =
      std::clamp<seconds>(left - seconds{30}, least, std::chrono::hours{24});
  cred.valid = std::max(left, least);
}

result<credential> parse_exec_credential(const exec_plugin& p,
                                         const std::string& text) {
  auto root = parse_json_or_null(text);
  const auto& status = value_at(root, {"status"});
  if (text_at(root, {"kind"}) != "ExecCredential" || !status.is_object())
    return exec_plugin_failure(p,
                               p.command + " did not print an ExecCredential");
  if (auto version = text_at(root, {"apiVersion"}); version != p.api_version)
    return exec_plugin_failure(p, p.command + " answered with apiVersion \""
                                      + version + "\" instead of "
                                      + p.api_version);
  auto fixed = p.read_fixed();
  if (!fixed)
    return fixed.error();
  auto cred = std::move(*fixed);
  cred.token = text_at(status, {"token"});
  set_times_of_expiry(cred, text_at(status, {"expirationTimestamp"}));
  auto cert = text_at(status, {"clientCertificateData"});
  auto key = text_at(status, {"clientKeyData"});
  if (cert.empty() != key.empty())
    return exec_plugin_failure(
        p, p.command
               + " gave only one of clientCertificateData and "
                 "clientKeyData");
  if (cred.token.empty() && cert.empty())
    return exec_plugin_failure(
        p, p.command + " gave neither a token nor a certificate");
  if (!cert.empty()) {
    if (auto fault = find_key_pair_error(cert, key))
      return exec_plugin_failure(
          p, p.command + " returned an unusable credential: " + *fault);
    cred.client_cert_pem = std::move(cert);
    cred.client_key_pem = std::move(key);
  }
  return cred;
}

result<credential> run_exec_plugin(const exec_plugin& p) {
  auto text =
      run_for_output({p.command, p.args, plugin_environment(p), p.timeout});
  if (text)
    return parse_exec_credential(p, *text);
  auto what = text.error().message;
  if (what.rfind("cannot run", 0) == 0)
    what += "; "
            + (p.install_hint.empty() ? "is it installed and in PATH?"
                                      : p.install_hint);
  return exec_plugin_failure(p, what);
}

} // namespace

std::optional<failure>
run_exec_plugin_and_set_credential_source(exec_plugin p, client_config& c) {
  if (p.api_version != "client.authentication.k8s.io/v1"
      && p.api_version != "client.authentication.k8s.io/v1beta1")
    return exec_plugin_failure(
        p, "apiVersion is \"" + p.api_version
               + "\"; client.authentication.k8s.io/v1 and v1beta1 "
                 "are supported");
  auto first = run_exec_plugin(p);
  if (!first)
    return first.error();
  auto known = std::make_shared<std::optional<credential>>(std::move(*first));
  c.get_credential = [p = std::move(p), known]() -> result<credential> {
    if (auto cred = std::exchange(*known, std::nullopt))
      return *cred;
    return run_exec_plugin(p);
  };
  return std::nullopt;
}

} // namespace troupe::k8s::rest
