#pragma once

#include "actors/base/actor_options.hpp"
#include "actors/leadership/other_operator_watch.hpp"
#include "actors/queueing/queueing_probe.hpp"
#include "actors/webhook/certificate_rotator.hpp"
#include "config/settings.hpp"
#include "frameworks/core/model/framework.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The options of the operator's parts, as values made from its settings.

namespace troupe::actors {

/// The job kinds that are looked after: all, unless `enable_schemes` names
/// some, or versions of some.
std::vector<const core::framework*> enabled_kinds(const config::settings& s);

/// The namespaces in the setting `namespace`: "a,b" is a and b; "" is one "",
/// which means all.
std::vector<std::string> namespaces_to_watch(const std::string& names);

/// For a machine of so many cores. Rates and bursts are divided among gateways.
/// Without `reconcile_enabled` only the requests of jobs' pods are carried out.
actor_options make_actor_options(const config::settings& s,
                                 const core::cluster_options& cluster,
                                 unsigned cores, bool reconcile_enabled);

/// The names by which API servers connect to the webhooks, whose Service is in
/// this namespace; the host of `webhook-url`, if it is set, is the first.
std::vector<std::string> webhook_hosts(const config::settings& s,
                                       const std::string& ns);

/// Where pods reach the server of the webhooks, whose Service is in this
/// namespace, with their reports.
std::string report_url(const config::settings& s, const std::string& ns);

/// For the webhooks whose Secret and Service are in this namespace.
certificate_rotator_config make_rotator_config(const config::settings& s,
                                               const std::string& ns);

/// The other operator that may look after jobs of these kinds; nullopt if there
/// is none, or if it is not to be looked for.
std::optional<other_operator_config>
make_other_operator_config(const config::settings& s,
                           const std::vector<const core::framework*>& kinds);

/// What is looked for in the cluster to decide whether jobs wait for queues.
queueing_probe_config
make_queueing_probe_config(const config::settings& s,
                           const std::vector<const core::framework*>& kinds);

/// Whether di-server listens: it has an address, and a kind takes requests.
bool is_di_server_enabled(const config::settings& s);

/// The options with the addresses of di-server that pods are told. Those that
/// the settings do not name are where it listens, with this port.
core::cluster_options fill_in_di_server_addresses(core::cluster_options cluster,
                                                  const config::settings& s,
                                                  std::uint16_t port);

/// The address at which other replicas reach the di-server of this one:
/// "10.0.0.1:8083", "[fd00::1]:8083"; "" without a host.
std::string advertised_leader_address(const std::string& host,
                                      std::uint16_t port);

} // namespace troupe::actors
