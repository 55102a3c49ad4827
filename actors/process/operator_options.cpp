#include "actors/process/operator_options.hpp"

#include "actors/reports/report_request.hpp"
#include "frameworks/registry.hpp"
#include "k8s/general/addresses.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

std::chrono::seconds whole_seconds(std::chrono::milliseconds d) {
  return std::chrono::duration_cast<std::chrono::seconds>(d);
}

/// "https://[::1]:9443" -> "::1"; in lower case.
std::string host_of_url(const std::string& url) {
  auto host = k8s::lower_case(k8s::host_and_port_of_url(url));
  if (auto close = host.find(']'); close != std::string::npos)
    return host.substr(1, close - 1);
  return host.substr(0, host.find(':'));
}

/// "MPIJob" means all versions of the kind, "MPIJob.v1" one.
bool is_named_by_scheme(const core::framework& f, const std::string& scheme) {
  const auto& type = f.names.type;
  return k8s::equal_ignoring_case(scheme, type.kind)
         || k8s::equal_ignoring_case(scheme, type.kind + "." + type.version);
}

} // namespace

std::vector<const core::framework*> enabled_kinds(const config::settings& s) {
  std::vector<const core::framework*> result;
  for (const auto& f : frameworks::all())
    if (s.enable_schemes.empty()
        || std::any_of(s.enable_schemes.begin(), s.enable_schemes.end(),
                       [&](const std::string& scheme) {
                         return is_named_by_scheme(f, scheme);
                       }))
      result.push_back(&f);
  return result;
}

std::vector<std::string> namespaces_to_watch(const std::string& names) {
  std::vector<std::string> result;
  std::size_t from = 0;
  while (from <= names.size()) {
    auto to = std::min(names.find(',', from), names.size());
    result.push_back(names.substr(from, to - from));
    from = to + 1;
  }
  return result;
}

actor_options make_actor_options(const config::settings& s,
                                 const core::cluster_options& cluster,
                                 unsigned cores, bool reconcile_enabled) {
  // Enough for people, and few beside the calls for jobs.
  constexpr int events_in_flight = 4;
  actor_options o;
  o.namespaces = namespaces_to_watch(s.ns);
  o.gateways = s.gateways;
  o.child_watchers = s.child_watchers;
  o.directories = s.directory_actor_count(s.effective_actor_threads(cores));
  o.window_first = s.window_first;
  o.window_most = s.window_most;
  o.namespace_window = s.namespace_window;
  o.calls_per_second = s.kube_api_qps / s.gateways;
  o.calls_burst = std::max(1, s.effective_api_burst() / s.gateways);
  o.group_window_first = s.slow_start_first;
  o.group_window_most = s.slow_start_most;
  o.events_in_flight = events_in_flight;
  o.log_streams = s.log_streams;
  o.list_page = s.list_page;
  o.call_limit = s.request_limit;
  o.status_interval = s.status_interval;
  o.drain = s.stop_limit;
  o.watch_idle = s.watch_idle_limit;
  o.watch_limit = whole_seconds(s.watch_limit);
  o.reconcile_enabled = reconcile_enabled;
  o.cluster = cluster;
  return o;
}

std::vector<std::string> webhook_hosts(const config::settings& s,
                                       const std::string& ns) {
  auto service = s.webhook_service + "." + ns;
  auto domain = s.cluster_domain.empty() ? "cluster.local" : s.cluster_domain;
  std::vector<std::string> result{service + ".svc", service + ".svc." + domain,
                                  service};
  if (!s.webhook_url.empty())
    result.insert(result.begin(), host_of_url(s.webhook_url));
  // Pods find it in the certificate.
  if (auto host = host_of_url(s.progress_url);
      !host.empty()
      && std::find(result.begin(), result.end(), host) == result.end())
    result.push_back(std::move(host));
  return result;
}

std::string report_url(const config::settings& s, const std::string& ns) {
  if (!s.progress_url.empty())
    return s.progress_url;
  auto host = s.webhook_url.empty() ? s.webhook_service + "." + ns + ".svc"
                                    : k8s::host_and_port_of_url(s.webhook_url);
  return "https://" + host + reports_path;
}

certificate_rotator_config make_rotator_config(const config::settings& s,
                                               const std::string& ns) {
  certificate_rotator_config c;
  c.ns = ns;
  c.secret = s.webhook_secret;
  c.certificates.hosts = webhook_hosts(s, ns);
  c.certificates.authority_life = whole_seconds(s.webhook_authority_life);
  c.certificates.serving_life = whole_seconds(s.webhook_certificate_life);
  c.configuration = {enabled_kinds(s), s.webhook_url};
  return c;
}

std::optional<other_operator_config>
make_other_operator_config(const config::settings& s,
                           const std::vector<const core::framework*>& kinds) {
  other_operator_config c;
  c.namespaces =
      k8s::split_without_empty_parts(s.mpi_operator_lease_namespaces, ',');
  for (const auto* kind : kinds)
    if (*kind->names.other_operator_lease != '\0')
      c.lease = kind->names.other_operator_lease;
  return c.namespaces.empty() || c.lease.empty() ? std::nullopt
                                                 : std::optional{c};
}

queueing_probe_config
make_queueing_probe_config(const config::settings& s,
                           const std::vector<const core::framework*>& kinds) {
  auto namespaces = k8s::split_without_empty_parts(s.ns, ',');
  return {parse_kueue_mode(s.kueue), kinds,
          namespaces.empty() ? "default" : namespaces.front()};
}

bool is_di_server_enabled(const config::settings& s) {
  auto kinds = enabled_kinds(s);
  return !s.di_server_bind_address.empty() && s.di_server_bind_address != "0"
         && std::any_of(kinds.begin(), kinds.end(), [](const auto* kind) {
              return kind->own.begin_request != nullptr;
            });
}

core::cluster_options fill_in_di_server_addresses(core::cluster_options cluster,
                                                  const config::settings& s,
                                                  std::uint16_t port) {
  // "127.0.0.1:40000", where it listens on "127.0.0.1:0".
  const auto& bound = s.di_server_bind_address;
  auto address = bound.substr(0, bound.rfind(':')) + ":" + std::to_string(port);
  if (cluster.di_server_address.empty())
    cluster.di_server_address = address;
  if (cluster.di_server_url.empty())
    cluster.di_server_url = "http://" + address;
  return cluster;
}

std::string advertised_leader_address(const std::string& host,
                                      std::uint16_t port) {
  if (host.empty())
    return "";
  bool v6 = host.find(':') != std::string::npos && host.front() != '[';
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

} // namespace troupe::actors
