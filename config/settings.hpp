#pragma once

#include "k8s/result.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace troupe::config {

/// The operator's own settings, as plain values. Read at the start and handed
/// down by value; a reload of the file makes a new value. The meaning, unit,
/// default and bounds of each field are in setting_rows.cpp.
struct settings {
  settings(); ///< Each at its default.

  // Which cluster, and how much of it.
  std::string kubeconfig; ///< "": $KUBECONFIG, else in-cluster.
  std::string context;    ///< "": current-context.
  std::string ns;         ///< "": all namespaces.

  // Addresses; "0" is off.
  std::string health_address;
  std::string metrics_address;
  std::string admin_address;
  std::string di_server_bind_address;
  std::string admin_token_file;    ///< "": nobody is asked for a token.
  std::string admin_tls_cert_file; ///< "": plain HTTP.
  std::string admin_tls_key_file;

  // Threads and actors.
  int controller_threads = 0;
  int http_threads = 0;
  int gateways = 0;
  int directories = 0;
  int child_watchers = 0;

  // Calls to the API server.
  double kube_api_qps = 0; ///< Per second; 0: no limit.
  int kube_api_burst = 0;
  int window_first = 0; ///< In flight per gateway.
  int window_most = 0;
  int namespace_window = 0; ///< 0: no limit.
  int slow_start_first = 0; ///< Per replica group.
  int slow_start_most = 0;
  int list_page = 0;
  std::chrono::milliseconds request_limit{};
  std::chrono::milliseconds watch_limit{};
  std::chrono::milliseconds watch_idle_limit{};

  // Jobs.
  std::chrono::milliseconds status_interval{};
  std::chrono::milliseconds stop_limit{};
  std::chrono::milliseconds lost_node_period{}; ///< 0: never.
  std::string progress_url;   ///< Where pods report; "": the webhooks' Service.
  int log_streams = 0;        ///< Logs that are read at a time.
  std::string cluster_domain; ///< $CUSTOM_CLUSTER_DOMAIN.
  std::vector<std::string> enable_schemes; ///< Empty: every kind we know.
  std::string gang_scheduler;
  std::string kueue; ///< "auto", "own", "off".
  /// Namespaces; "*": almost all.
  std::vector<std::string> kueue_jobs_without_queue;

  bool leader_elect = false;
  std::string leader_election_id;
  std::string leader_election_namespace; ///< "": the pod's.
  std::chrono::milliseconds lease_duration{};
  std::chrono::milliseconds lease_renew_deadline{};
  std::chrono::milliseconds lease_retry_period{};
  bool ignore_lease = false;

  // DIJobs.
  /// Where pods reach di-server; "": where it listens.
  std::string di_server_address;
  std::string di_server_url; ///< Likewise.
  std::string service_domain_name;
  std::string di_server_advertise_host; ///< $MY_POD_IP.
  std::string di_server_access;
  std::string agconfig_namespace;
  std::string agconfig_name;
  std::string gpu_alloc_policy;

  // Frameworks and webhooks.
  std::string pytorch_init_image;
  std::string pytorch_init_template;
  int pytorch_init_max_tries = 0;
  std::string mpi_kubectl_image;
  std::string mpi_operator_lease_namespaces; ///< "a,b"; "": not looked for.
  int webhook_port = 0;
  std::string webhook_service;
  std::string webhook_secret;
  std::string webhook_url; ///< "": the API server connects to the Service.
  std::chrono::milliseconds webhook_certificate_life{};
  std::chrono::milliseconds webhook_authority_life{};

  std::string log_level;
  std::string log_format;
  std::string log_time_encoding;

  /// The origin of each value that was set, by the name of the setting:
  /// "--gateways", "operator.yaml:7", "$KUBECONFIG".
  std::map<std::string, std::string> origins;

  /// Threads for the actor system, with 0 resolved; at least one.
  unsigned effective_actor_threads(unsigned cores) const;
  /// Directories for so many threads, with 0 resolved.
  int directory_actor_count(unsigned threads) const;
  /// The burst, with 0 resolved; at least one.
  int effective_api_burst() const;
};

/// A value of the setting `name` in one layer. A name may occur several times;
/// only lists use more than the last value.
struct assignment {
  std::string name;
  std::string value;
  std::string origin; ///< "--gateways", "operator.yaml:7", "$KUBECONFIG".
};
using assignments = std::vector<assignment>;

/// An environment as a map from names to values.
using environment = std::map<std::string, std::string>;
environment process_environment();

/// The layer of the environment: only the variables that setting_rows.cpp
/// names.
assignments assignments_from_environment(const environment& env);

/// Sets the values of `all`, in order, those of former names last. Fails at the
/// first value that cannot be read, with its origin and what it must be.
k8s::result<settings> apply_assignments(settings start, const assignments& all);

/// Fails with every contradiction and every value out of its bounds, one line
/// for each, which names the setting, the value and the fix. `kinds` are the
/// values that `enable_schemes` may have, ignoring case: "TFJob", "MPIJob.v1".
k8s::result<k8s::nothing>
validate_settings(const settings& s, const std::vector<std::string>& kinds);

/// Reads the layers, each of which overrides the earlier ones: defaults, `file`
/// ("" for none), environment, flags. Then validates the result. If a burst is
/// set without a rate, the rate is upstream's.
k8s::result<settings> load_settings(const std::string& file,
                                    const environment& env,
                                    const assignments& flags,
                                    const std::vector<std::string>& kinds);

} // namespace troupe::config
