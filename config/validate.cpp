#include "config/setting_rows.hpp"
#include "config/settings.hpp"
#include "k8s/duration.hpp"
#include "k8s/general/addresses.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace troupe::config {

namespace {

using strings = std::vector<std::string>;

/// The bounds of the rows.
void add_bound_errors(const settings& s, strings& wrong) {
  for (const auto& r : setting_rows()) {
    double x = 0;
    if (auto i = std::get_if<int settings::*>(&r.where))
      x = s.*(*i);
    else if (auto d = std::get_if<double settings::*>(&r.where))
      x = s.*(*d);
    else if (auto t =
                 std::get_if<std::chrono::milliseconds settings::*>(&r.where))
      x = std::chrono::duration<double>(s.*(*t)).count();
    else
      continue;
    if (x < r.min || x > r.max)
      wrong.push_back(std::string(r.name) + " is " + format_setting(r, s)
                      + "; choose from " + format_bound(r, r.min) + " to "
                      + format_bound(r, r.max));
  }
}

/// The words of the rows.
void add_choice_errors(const settings& s, strings& wrong) {
  for (const auto& r : setting_rows()) {
    auto value = format_setting(r, s);
    if (!r.choices.empty()
        && std::find(r.choices.begin(), r.choices.end(), value)
               == r.choices.end())
      wrong.push_back(std::string(r.name) + " is \"" + value
                      + "\"; choose one of " + k8s::join(r.choices, ", "));
  }
}

struct endpoint {
  std::string host;
  int port = 0;
};

/// "HOST:PORT", ":PORT" or "[IPv6]:PORT".
std::optional<endpoint> parse_host_and_port(const std::string& text) {
  auto colon = text.rfind(':');
  if (colon == std::string::npos)
    return std::nullopt;
  auto host = text.substr(0, colon);
  auto port = text.substr(colon + 1);
  auto digits = !port.empty() && port.size() <= 5
                && port.find_first_not_of("0123456789") == std::string::npos;
  auto bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (!digits || std::atoi(port.c_str()) > 65535
      || (host.find(':') != std::string::npos && !bracketed))
    return std::nullopt;
  return endpoint{host, std::atoi(port.c_str())};
}

void add_bind_address_errors(const settings& s, strings& wrong) {
  const std::pair<const char*, const std::string&> all[] = {
      {"health-probe-bind-address", s.health_address},
      {"metrics-bind-address", s.metrics_address},
      {"admin-bind-address", s.admin_address},
      {"di-server-bind-address", s.di_server_bind_address}};
  std::vector<std::pair<const char*, int>> taken;
  for (const auto& [name, text] : all) {
    if (text == "0")
      continue;
    auto at = parse_host_and_port(text);
    if (!at) {
      wrong.push_back(std::string(name) + " is \"" + text
                      + "\"; must be HOST:PORT, :PORT, or 0 for off");
      continue;
    }
    for (const auto& [other, port] : taken)
      if (at->port != 0 && at->port == port)
        wrong.push_back(std::string(name) + " is \"" + text + "\", the port of "
                        + other + "; give each a port of its own");
    taken.emplace_back(name, at->port);
  }
}

/// What others can reach asks for a token, which nobody may read on the way.
void add_admin_access_errors(const settings& s, strings& wrong) {
  if (s.admin_tls_cert_file.empty() != s.admin_tls_key_file.empty())
    wrong.push_back("admin-tls-cert-file and admin-tls-key-file belong "
                    "together; name both, or none");
  auto admin = parse_host_and_port(s.admin_address);
  if (!admin
      || k8s::is_localhost_or_loopback(
          k8s::split_host_and_port(s.admin_address).first))
    return;
  strings missing;
  for (const auto& [name, value] :
       {std::pair<const char*, const std::string&>{"admin-token-file",
                                                   s.admin_token_file},
        {"admin-tls-cert-file", s.admin_tls_cert_file},
        {"admin-tls-key-file", s.admin_tls_key_file}})
    if (value.empty())
      missing.push_back(name);
  if (!missing.empty())
    wrong.push_back("admin-bind-address is \"" + s.admin_address
                    + "\", which others can reach, without a token or without "
                      "TLS; name "
                    + k8s::join(missing, ", ") + ", or use 127.0.0.1");
}

bool is_port(const std::string& text) {
  return !text.empty() && text.size() <= 5
         && text.find_first_not_of("0123456789") == std::string::npos
         && std::atoi(text.c_str()) > 0 && std::atoi(text.c_str()) <= 65535;
}

/// "HOST", "HOST:PORT", "[IPv6]" or "[IPv6]:PORT".
bool is_host_with_or_without_port(const std::string& text) {
  bool is_ipv6 = !text.empty() && text.front() == '[';
  auto end = is_ipv6 ? text.find(']') : text.find(':');
  auto host = text.substr(is_ipv6 ? 1 : 0, is_ipv6 ? end - 1 : end);
  auto rest = end == std::string::npos ? "" : text.substr(end + is_ipv6);
  const char* letters = is_ipv6 ? "0123456789abcdefABCDEF:."
                                : "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
  bool ends = !is_ipv6 || end != std::string::npos;
  return ends && !host.empty() && host.size() <= 253
         && host.find_first_not_of(letters) == std::string::npos
         && (is_ipv6 || (host.front() != '-' && host.front() != '.'))
         && (rest.empty() || (rest.front() == ':' && is_port(rest.substr(1))));
}

/// "https://HOST:PORT" or "https://HOST".
bool is_https_url_without_path(const std::string& url) {
  constexpr std::size_t scheme = 8;
  auto host = url.substr(std::min(scheme, url.size()));
  return url.rfind("https://", 0) == 0 && !host.empty() && host.front() != ':'
         && host.find_first_of("/?#@ ") == std::string::npos
         && (parse_host_and_port(host) || host.find(':') == std::string::npos);
}

/// What is wrong with the URL below which pods report, and its fix; "" if
/// nothing is. Paths of jobs are appended to it.
std::string progress_url_error(const std::string& url) {
  constexpr const char* letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  constexpr std::string_view scheme = "https://";
  if (url.rfind(scheme, 0) != 0)
    return "begin it with https://; pods send their tokens there";
  if (url.find_first_of("?#") != std::string::npos)
    return "leave out the query and the fragment; paths of jobs are appended";
  auto slash = std::min(url.find('/', scheme.size()), url.size());
  auto host = url.substr(scheme.size(), slash - scheme.size());
  if (host.find('@') != std::string::npos)
    return "leave out the user; pods have tokens";
  if (!is_host_with_or_without_port(host))
    return "name the host, a DNS name or an IP address ([::1]), and, if it is "
           "not 443, the port from 1 to 65535";
  if (url.back() == '/')
    return "leave out the slash at its end";
  auto path = url.substr(slash);
  if (path.find_first_not_of(letters) != std::string::npos
      || path.find("//") != std::string::npos
      || path.find("/.") != std::string::npos)
    return "use a path of names of letters, digits, -, _, . and ~";
  return "";
}

void add_progress_errors(const settings& s, strings& wrong) {
  if (s.progress_url.empty())
    return;
  if (auto fix = progress_url_error(s.progress_url); !fix.empty())
    wrong.push_back("progress-url is \"" + s.progress_url + "\"; " + fix
                    + ", as in https://HOST:PORT/progress");
}

void add_webhook_errors(const settings& s, strings& wrong) {
  if (!s.webhook_url.empty() && !is_https_url_without_path(s.webhook_url))
    wrong.push_back("webhook-url is \"" + s.webhook_url
                    + "\"; must be https://HOST:PORT without a path");
  // Else an authority could expire before the certificates that it signed
  // are renewed.
  if (s.webhook_authority_life < 2 * s.webhook_certificate_life)
    wrong.push_back("webhook-authority-life is "
                    + k8s::to_duration_text(s.webhook_authority_life)
                    + ", less than twice webhook-certificate-life ("
                    + k8s::to_duration_text(s.webhook_certificate_life)
                    + "); raise it or lower the other");
}

void add_scheme_errors(const settings& s, const strings& kinds,
                       strings& wrong) {
  for (const auto& scheme : s.enable_schemes) {
    auto same = [&](const std::string& k) {
      return k8s::equal_ignoring_case(k, scheme);
    };
    if (std::none_of(kinds.begin(), kinds.end(), same))
      wrong.push_back("scheme " + scheme + " is not supported yet (known: "
                      + k8s::join(kinds, ", ") + ")");
  }
}

void add_queue_namespace_errors(const settings& s, strings& wrong) {
  for (const auto& ns : s.kueue_jobs_without_queue)
    if (ns != "*" && !k8s::is_dns_label(ns))
      wrong.push_back("kueue-jobs-without-queue has \"" + ns
                      + "\", which is no name of a namespace; name one, or * "
                        "for all");
  if (!s.kueue_jobs_without_queue.empty() && s.kueue == "off")
    wrong.push_back("kueue-jobs-without-queue contradicts kueue, which is "
                    "off; leave one of them out");
}

void add_error_if_above(const char* less, int low, const char* more, int high,
                        strings& wrong) {
  if (low > high)
    wrong.push_back(std::string(less) + " is " + std::to_string(low)
                    + ", above " + more + " (" + std::to_string(high)
                    + "); lower it or raise the other");
}

} // namespace

k8s::result<k8s::nothing> validate_settings(const settings& s,
                                            const strings& kinds) {
  strings wrong;
  add_bound_errors(s, wrong);
  add_error_if_above("window-first", s.window_first, "window-most",
                     s.window_most, wrong);
  add_error_if_above("slow-start-first", s.slow_start_first, "slow-start-most",
                     s.slow_start_most, wrong);
  if (s.lease_renew_deadline >= s.lease_duration)
    wrong.push_back("leader-election-renew-deadline must be less than "
                    "leader-election-lease-duration, so that a leader stops "
                    "writing before another one starts");
  if (s.lease_retry_period * 2 > s.lease_renew_deadline)
    wrong.push_back("leader-election-retry-period must be at most half of "
                    "leader-election-renew-deadline");
  if (s.leader_elect && s.ignore_lease)
    wrong.push_back("ignore-lease contradicts leader-elect; leave one of them "
                    "out");
  if (s.kube_api_burst > 0 && s.kube_api_qps <= 0)
    wrong.push_back("kube-api-burst is " + std::to_string(s.kube_api_burst)
                    + " but kube-api-qps is 0, no limit; name a rate, or leave "
                      "one of them out");
  add_bind_address_errors(s, wrong);
  add_admin_access_errors(s, wrong);
  add_webhook_errors(s, wrong);
  add_progress_errors(s, wrong);
  add_scheme_errors(s, kinds, wrong);
  add_queue_namespace_errors(s, wrong);
  for (const auto& [name, value] :
       {std::pair<const char*, const std::string&>{"agconfig-namespace",
                                                   s.agconfig_namespace},
        {"agconfig-name", s.agconfig_name}})
    if (value.empty())
      wrong.push_back(std::string(name)
                      + " is empty; name it, or leave it out");
  add_choice_errors(s, wrong);
  if (wrong.empty())
    return k8s::nothing{};
  std::string text;
  for (const auto& w : wrong)
    text += (text.empty() ? "" : "\n") + w;
  return k8s::failure{k8s::ec::invalid, text};
}

} // namespace troupe::config
