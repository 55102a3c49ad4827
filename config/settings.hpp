#pragma once

#include "config/defaults.hpp"
#include "k8s/result.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace troupe::config {

/// The operator's own settings, as plain values. Read at the start and handed
/// down by value; a reload of the file makes a new value. What each field
/// means, its unit and its bounds stand in setting_rows.cpp.
struct settings {
  // Which cluster, and how much of it.
  std::string kubeconfig; ///< "": $KUBECONFIG, else in-cluster.
  std::string context;    ///< "": current-context.
  std::string ns;         ///< "": all namespaces.

  // Addresses; "0" is off.
  std::string health_address = defaults::health_address;
  std::string metrics_address = defaults::metrics_address;
  std::string admin_address = defaults::admin_address;
  std::string di_server_bind_address = defaults::di_server_bind_address;
  std::string admin_token_file;    ///< "": nobody is asked for a token.
  std::string admin_tls_cert_file; ///< "": plain HTTP.
  std::string admin_tls_key_file;
  bool admin_allow_remote = false; ///< Without effect: see admin_token_file.

  // Threads and actors.
  int controller_threads = defaults::controller_threads;
  int scheduler_threads = defaults::scheduler_threads;
  int http_threads = defaults::http_threads;
  int gateways = defaults::gateways;
  int directories = defaults::directories;
  int child_watchers = defaults::child_watchers;

  // Calls to the API server.
  double kube_api_qps = defaults::kube_api_qps; ///< Per second; 0: no limit.
  int kube_api_burst = defaults::kube_api_burst;
  int window_first = defaults::window_first; ///< In flight per gateway.
  int window_most = defaults::window_most;
  int namespace_window = defaults::namespace_window; ///< 0: no limit.
  int slow_start_first = defaults::slow_start_first; ///< Per replica group.
  int slow_start_most = defaults::slow_start_most;
  int list_page = defaults::list_page;
  std::chrono::milliseconds request_limit = defaults::request_limit;
  std::chrono::milliseconds watch_limit = defaults::watch_limit;
  std::chrono::milliseconds watch_idle_limit = defaults::watch_idle_limit;

  // Jobs.
  std::chrono::milliseconds status_interval = defaults::status_interval;
  std::chrono::milliseconds stop_limit = defaults::stop_limit;
  std::string cluster_domain;              ///< $CUSTOM_CLUSTER_DOMAIN.
  std::vector<std::string> enable_schemes; ///< Empty: every kind we know.
  std::string gang_scheduler;

  bool leader_elect = false;
  std::string leader_election_id = defaults::leader_election_id;
  std::string leader_election_namespace; ///< "": the pod's.
  std::chrono::milliseconds lease_duration = defaults::lease_duration;
  std::chrono::milliseconds lease_renew_deadline =
      defaults::lease_renew_deadline;
  std::chrono::milliseconds lease_retry_period = defaults::lease_retry_period;
  bool ignore_lease = false;

  // DIJobs.
  /// Where pods reach di-server; "": where it listens.
  std::string di_server_address = defaults::di_server_address;
  std::string di_server_url = defaults::di_server_url; ///< Likewise.
  std::string service_domain_name = defaults::service_domain_name;
  std::string di_server_advertise_host; ///< $MY_POD_IP.
  std::string di_server_access = defaults::di_server_access;
  std::string agconfig_namespace = defaults::agconfig_namespace;
  std::string agconfig_name = defaults::agconfig_name;
  std::string gpu_alloc_policy = defaults::gpu_alloc_policy;

  /// No setting: `troupe di-server` only carries out requests of jobs' pods.
  bool reconcile_enabled = true;

  // Frameworks and webhooks.
  std::string pytorch_init_image = defaults::pytorch_init_image;
  std::string pytorch_init_template = defaults::pytorch_init_template;
  int pytorch_init_max_tries = defaults::pytorch_init_max_tries;
  std::string mpi_kubectl_image = defaults::mpi_kubectl_image;
  int webhook_port = defaults::webhook_port;
  std::string webhook_service = defaults::webhook_service;
  std::string webhook_secret = defaults::webhook_secret;
  std::string webhook_url; ///< "": the API server connects to the Service.
  std::chrono::milliseconds webhook_certificate_life =
      defaults::webhook_certificate_life;
  std::chrono::milliseconds webhook_authority_life =
      defaults::webhook_authority_life;

  std::string log_level = defaults::log_level;
  std::string log_format = defaults::log_format;
  std::string log_time_encoding = defaults::log_time_encoding;

  /// Where each value comes from that was named, by the name of the setting:
  /// "--gateways", "operator.yaml:7", "$KUBECONFIG".
  std::map<std::string, std::string> origins;

  /// Threads for the actor system, with the zeroes resolved; at least one.
  unsigned effective_actor_threads(unsigned cores) const;
  /// Directories beside so many threads, with the zero resolved.
  int directory_actor_count(unsigned threads) const;
  /// The burst, with the zero resolved.
  int effective_api_burst() const;
};

/// A value of the setting `name` in one layer. A name may occur several times;
/// only lists use more than the last.
struct assignment {
  std::string name;
  std::string value;
  std::string origin; ///< "--gateways", "operator.yaml:7", "$KUBECONFIG".
};
using assignments = std::vector<assignment>;

/// Reads an environment as a map of names, for tests and for the process.
using environment = std::map<std::string, std::string>;
environment process_environment();

/// The layer of the environment: only the variables that setting_rows.cpp
/// names.
assignments assignments_from_environment(const environment& env);

/// Sets the values of `all`, in order; fails at the first one that cannot be
/// read, naming its origin and what it must be.
k8s::result<settings> apply_assignments(settings start, const assignments& all);

/// Finds every contradiction and every value out of its bounds; one line each,
/// naming the setting, the value and the fix. `kinds` are the job kinds that
/// this binary knows; kinds in `enable_schemes` are compared without case.
k8s::result<k8s::nothing>
validate_settings(const settings& s, const std::vector<std::string>& kinds);

/// defaults < `file` ("" for none) < environment < flags, then validate(). A
/// burst that is named without a rate brings upstream's rate along.
k8s::result<settings> load_settings(const std::string& file,
                                    const environment& env,
                                    const assignments& flags,
                                    const std::vector<std::string>& kinds);

} // namespace troupe::config
