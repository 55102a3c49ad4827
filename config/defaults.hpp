#pragma once

#include <chrono>
#include <cstdint>

/// What every setting is when nobody says otherwise, each with its unit and
/// the reason for the number. operator.yaml tells the same to administrators;
/// a test keeps the two equal.
namespace troupe::config::defaults {

using namespace std::chrono_literals;

// -- Addresses ("HOST:PORT", ":PORT" for all interfaces, "0" for off) --------

/// Upstream's, so that probes of existing deployments keep working.
inline constexpr const char* health_address = ":8081";
/// Upstream's, so that existing scrape configurations keep working.
inline constexpr const char* metrics_address = ":8080";
/// Loopback: the page shows names and reasons of everybody's jobs and asks for
/// no password.
inline constexpr const char* admin_address = "127.0.0.1:8082";

// -- Threads and actors -----------------------------------------------------

/// Threads; 0 is one for two cores, as HTTP takes as much again. Passes are
/// short and never wait, so more threads than cores gain nothing.
inline constexpr int controller_threads = 0;
/// Threads of the actor system; 0 is what controller-threads says.
inline constexpr int scheduler_threads = 0;
/// Threads that speak HTTP. One was 1.4 times faster than two for a single
/// watch, and is not the bottleneck at a thousand creations a second.
inline constexpr int http_threads = 1;
/// Gateways. Each has a window of its own.
inline constexpr int gateways = 1;

// -- Calls to the API server ------------------------------------------------

/// Calls per second; 0 is no limit of ours. The API server's own flow control
/// (priority and fairness, 429 with Retry-After) is obeyed in any case and
/// knows better than a constant.
inline constexpr double kube_api_qps = 0;
/// Calls that may exceed the rate at once; 0 is twice kube-api-qps.
inline constexpr int kube_api_burst = 0;
/// The rate when only the burst was named: upstream's default.
inline constexpr double kube_api_qps_of_burst = 20;
/// Calls in flight per gateway at first: polite to a server that has just
/// started.
inline constexpr int window_first = 16;
/// Calls in flight per gateway at most. 64 were 1.4 times faster than 16
/// against a real server; more did not help.
inline constexpr int window_most = 64;
/// Orders in flight per replica type at first: a pod that admission refuses is
/// refused a few times, not a thousand times.
inline constexpr int slow_start_first = 8;
/// Creations in flight per replica type at most: what one gateway carries.
inline constexpr int slow_start_most = 64;
/// Objects per page of a list: what the API server's own clients ask for.
inline constexpr int list_page = 500;
/// For the answer to one call. A server that needs longer is in trouble.
inline constexpr std::chrono::milliseconds request_limit = 30s;
/// After which we ask the server to end a watch cleanly, so that watches
/// spread over the servers of a cluster again.
inline constexpr std::chrono::milliseconds watch_limit = 300s;
/// Silence after which a watch counts as broken. Servers send a bookmark about
/// once a minute.
inline constexpr std::chrono::milliseconds watch_idle_limit = 150s;

// -- Jobs -------------------------------------------------------------------

/// Between two status writes of one job, so that a thousand pods that start at
/// once do not become a thousand writes.
inline constexpr std::chrono::milliseconds status_interval = 1s;
/// For what is in flight when we are told to stop. A pod that does not end
/// within its grace period is killed; 5 s are promised in all.
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

// -- Log ----------------------------------------------------------------------

inline constexpr const char* log_level = "info";
inline constexpr const char* log_format = "text";
inline constexpr const char* log_time_encoding = "iso8601";

} // namespace troupe::config::defaults
