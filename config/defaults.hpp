#pragma once

#include <chrono>
#include <cstdint>

/// What every setting is when nobody says otherwise. What each means, with its
/// unit, stands in setting_rows.cpp; the reason for the value in
/// default_reasons.cpp. operator.yaml tells the same to administrators; a test
/// keeps the two equal.
namespace troupe::config::defaults {

using namespace std::chrono_literals;

// -- Addresses ("HOST:PORT", ":PORT" for all interfaces, "0" for off) --------

inline constexpr const char* health_address = ":8081";
inline constexpr const char* metrics_address = ":8080";
inline constexpr const char* admin_address = "127.0.0.1:8082";
inline constexpr const char* di_server_bind_address = ":8083";

// -- Threads and actors -----------------------------------------------------

inline constexpr int controller_threads = 0;
inline constexpr int scheduler_threads = 0;
inline constexpr int http_threads = 1;
inline constexpr int gateways = 1;
inline constexpr int directories = 0;
inline constexpr int child_watchers = 1;

// -- DIJobs -------------------------------------------------------------------

/// Without a scheme, as its clients expect it.
inline constexpr const char* di_server_address = "di-server.di-system:8080";
inline constexpr const char* di_server_url =
    "http://di-server.di-system.svc.cluster.local:8081";
inline constexpr const char* service_domain_name = "svc.cluster.local";
inline constexpr const char* di_server_access = "job-pods";
inline constexpr const char* agconfig_namespace = "di-system";
inline constexpr const char* agconfig_name = "aggregator-config";
inline constexpr const char* gpu_alloc_policy = "simple";

// -- Calls to the API server ------------------------------------------------

inline constexpr double kube_api_qps = 0;
inline constexpr int kube_api_burst = 0;
/// The rate when only the burst was named: upstream's default.
inline constexpr double kube_api_qps_of_burst = 20;
inline constexpr int window_first = 16;
inline constexpr int window_most = 64;
inline constexpr int namespace_window = 0;
inline constexpr int slow_start_first = 8;
inline constexpr int slow_start_most = 64;
inline constexpr int list_page = 500;
inline constexpr std::chrono::milliseconds request_limit = 30s;
inline constexpr std::chrono::milliseconds watch_limit = 300s;
inline constexpr std::chrono::milliseconds watch_idle_limit = 150s;

// -- Jobs -------------------------------------------------------------------

inline constexpr std::chrono::milliseconds status_interval = 1s;
inline constexpr std::chrono::milliseconds stop_limit = 4s;

// -- Leader election (client-go's customary numbers) -------------------------

inline constexpr const char* leader_election_id =
    "1ca428e5.training-operator.kubeflow.org";
inline constexpr std::chrono::milliseconds lease_duration = 15s;
inline constexpr std::chrono::milliseconds lease_renew_deadline = 10s;
inline constexpr std::chrono::milliseconds lease_retry_period = 2s;

// -- Frameworks (upstream's values) ------------------------------------------

inline constexpr const char* pytorch_init_image = "alpine:3.10";
inline constexpr const char* pytorch_init_template =
    "/etc/config/initContainer.yaml";
inline constexpr int pytorch_init_max_tries = 100;
inline constexpr const char* mpi_kubectl_image =
    "ghcr.io/kubeflow/training-v1/kubectl-delivery:latest";

// -- Webhooks (upstream's values) --------------------------------------------

inline constexpr int webhook_port = 9443;
inline constexpr const char* webhook_service = "training-operator";
inline constexpr const char* webhook_secret = "training-operator-webhook-cert";
/// A year.
inline constexpr std::chrono::milliseconds webhook_certificate_life = 8760h;
/// Ten years.
inline constexpr std::chrono::milliseconds webhook_authority_life = 87600h;

// -- Log ----------------------------------------------------------------------

inline constexpr const char* log_level = "info";
inline constexpr const char* log_format = "text";
inline constexpr const char* log_time_encoding = "iso8601";

} // namespace troupe::config::defaults
