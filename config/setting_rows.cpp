#include "config/setting_rows.hpp"

#include "k8s/text.hpp"

#include <set>

namespace troupe::config {

namespace {

constexpr const char* cluster = "Cluster";
constexpr const char* addresses = "Addresses";
constexpr const char* sizes = "Threads and actors";
constexpr const char* calls = "Calls to the API server";
constexpr const char* jobs = "Jobs";
constexpr const char* leader = "Leader election";
constexpr const char* frameworks = "Frameworks";
constexpr const char* dijobs = "DIJobs";
constexpr const char* webhooks = "Webhooks";
constexpr const char* logging = "Log";

// clang-format off
const std::vector<setting_row>& make_setting_rows() {
  static const std::vector<setting_row> all = {
  // name, field, group, help, environment, min, max
  {"kubeconfig", &settings::kubeconfig, cluster, "Kubeconfig file; empty: $KUBECONFIG, else the pod's service account, else ~/.kube/config"},
  {"context", &settings::context, cluster, "Context of the kubeconfig; empty: its current one"},
  {"namespace", &settings::ns, cluster, "Namespaces to look after, separated by commas, each with watchers of its own; empty: all", "KUBEFLOW_NAMESPACE"},

  {"health-probe-bind-address", &settings::health_address, addresses, "Where /healthz and /readyz are served; 0: nowhere"},
  {"metrics-bind-address", &settings::metrics_address, addresses, "Where /metrics is served; 0: nowhere"},
  {"admin-bind-address", &settings::admin_address, addresses, "Where the admin page is served; other than loopback only with a token, a certificate and its key; 0: nowhere"},
  {"admin-token-file", &settings::admin_token_file, addresses, "File with the bearer token that the admin page asks for, 16 characters or more; empty: it asks for none"},
  {"admin-tls-cert-file", &settings::admin_tls_cert_file, addresses, "File with the certificate chain (PEM) of the admin page; empty: plain HTTP"},
  {"admin-tls-key-file", &settings::admin_tls_key_file, addresses, "File with the key (PEM) of that certificate"},
  {"admin-allow-remote", &settings::admin_allow_remote, addresses, "No longer has an effect: an admin address other than loopback needs a token and a certificate"},
  {"di-server-bind-address", &settings::di_server_bind_address, addresses, "Where pods of DIJobs ask for replicas; 0: nowhere"},

  {"controller-threads", &settings::controller_threads, sizes, "Threads that plan and act; 0: one for two cores", "", 0, 1024},
  {"scheduler-threads", &settings::scheduler_threads, sizes, "Threads of the actor system; 0: as controller-threads", "", 0, 1024},
  {"http-threads", &settings::http_threads, sizes, "Threads that speak HTTP with the API server", "", 1, 64},
  {"gateways", &settings::gateways, sizes, "Gateways to the API server", "", 1, 64},
  {"directories", &settings::directories, sizes, "Directories, each for a share of the jobs; 0: one per thread of the actor system", "", 0, 64},
  {"child-watchers", &settings::child_watchers, sizes, "Watches of pods, and of services, per namespace of --namespace, each for some of the job kinds", "", 1, 16},

  {"kube-api-qps", &settings::kube_api_qps, calls, "Calls per second, all gateways together; 0: no limit of ours", "", 0, 1e6},
  {"kube-api-burst", &settings::kube_api_burst, calls, "Calls that may exceed the rate at once; 0: twice kube-api-qps; named alone it makes kube-api-qps 20", "", 0, 1e6},
  {"window-first", &settings::window_first, calls, "Calls in flight per gateway, at first", "", 1, 10000},
  {"window-most", &settings::window_most, calls, "Calls in flight per gateway, at most", "", 1, 10000},
  {"namespace-window", &settings::namespace_window, calls, "Calls in flight per gateway for the jobs of one namespace, at most; 0: no limit", "", 0, 10000},
  {"slow-start-first", &settings::slow_start_first, calls, "Creations in flight per replica type, at first", "", 1, 10000},
  {"slow-start-most", &settings::slow_start_most, calls, "Creations in flight per replica type, at most", "", 1, 10000},
  {"list-page", &settings::list_page, calls, "Objects per page of a list", "", 1, 10000},
  {"request-limit", &settings::request_limit, calls, "Wait for the answer to one call", "", 0.1, 3600},
  {"watch-limit", &settings::watch_limit, calls, "Ask the server to end a watch cleanly after this", "", 1, 86400},
  {"watch-idle-limit", &settings::watch_idle_limit, calls, "Silence after which a watch counts as broken", "", 1, 86400},

  {"status-interval", &settings::status_interval, jobs, "Least time between two status writes of one job", "", 0, 3600},
  {"stop-limit", &settings::stop_limit, jobs, "For what is in flight when told to stop", "", 0, 4.5},
  {"cluster-domain", &settings::cluster_domain, jobs, "Domain behind the names of services, as in name.namespace.svc.DOMAIN", "CUSTOM_CLUSTER_DOMAIN"},
  {"enable-scheme", &settings::enable_schemes, jobs, "Job kind to look after, may be repeated; none: every kind known"},
  {"gang-scheduler-name", &settings::gang_scheduler, jobs, "Scheduler that places a job's pods together: volcano, or the name scheduler-plugins' has"},

  {"leader-elect", &settings::leader_elect, leader, "Write only while holding the Lease; needed for more than one replica"},
  {"leader-election-id", &settings::leader_election_id, leader, "Name of the Lease; the operator's Role names it as well (resourceNames): change both together"},
  {"leader-election-namespace", &settings::leader_election_namespace, leader, "Namespace of the Lease; empty: the pod's, else the one of --namespace, else default"},
  {"leader-election-lease-duration", &settings::lease_duration, leader, "Others may lead when the Lease has not been renewed for so long", "", 1, 3600},
  {"leader-election-renew-deadline", &settings::lease_renew_deadline, leader, "A leader that has not renewed the Lease for so long stops writing", "", 0.5, 3600},
  {"leader-election-retry-period", &settings::lease_retry_period, leader, "Between two renewals of the Lease", "", 0.1, 3600},
  {"ignore-lease", &settings::ignore_lease, leader, "Without leader-elect: start even if another operator holds the Lease; no job may belong to both"},

  {"pytorch-init-container-image", &settings::pytorch_init_image, frameworks, "Image that waits for a PyTorchJob's master"},
  {"pytorch-init-container-template-file", &settings::pytorch_init_template, frameworks, "Template of that container; an empty list: none"},
  {"pytorch-init-container-max-tries", &settings::pytorch_init_max_tries, frameworks, "How often it asks for the master", "", 1, 1e6},
  {"mpi-kubectl-delivery-image", &settings::mpi_kubectl_image, frameworks, "Image that brings kubectl to an MPIJob's launcher"},

  {"server-address", &settings::di_server_address, dijobs, "Address of di-server that pods of DIJobs are told, HOST:PORT; empty: the one where it listens"},
  {"di-server-url", &settings::di_server_url, dijobs, "URL of di-server that pods of DIJobs of tasks (v2alpha1) are told; empty: the one where it listens"},
  {"service-domain-name", &settings::service_domain_name, dijobs, "What the names of services end with after the namespace, in the names that pods of DIJobs of tasks are told"},
  {"di-server-advertise-host", &settings::di_server_advertise_host, dijobs, "Host or IP address by which other replicas forward requests for DIJobs to this one when it leads; empty: clients have to ask the leader", "MY_POD_IP"},
  {"di-server-access", &settings::di_server_access, dijobs, "Who may ask for replicas of a DIJob: job-pods (what has the address of one of its pods) or anybody"},
  {"agconfig-namespace", &settings::agconfig_namespace, dijobs, "Namespace of the AggregatorConfig"},
  {"agconfig-name", &settings::agconfig_name, dijobs, "Name of the AggregatorConfig"},
  {"gpu-alloc-policy", &settings::gpu_alloc_policy, dijobs, "How the GPUs of a learner are divided into pods: simple"},

  {"webhook-server-port", &settings::webhook_port, webhooks, "Port of the webhooks, which are served in a cluster, or with webhook-url", "", 1, 65535},
  {"webhook-service-name", &settings::webhook_service, webhooks, "Service in front of the webhooks"},
  {"webhook-secret-name", &settings::webhook_secret, webhooks, "Secret with the webhooks' certificates"},
  {"webhook-url", &settings::webhook_url, webhooks, "https://HOST:PORT where the API server reaches the webhooks; the operator makes their configuration; empty: by the Service, in a cluster only"},
  {"webhook-certificate-life", &settings::webhook_certificate_life, webhooks, "How long the webhooks' certificate is valid; renewed after two thirds", "", 3, 1e9},
  {"webhook-authority-life", &settings::webhook_authority_life, webhooks, "How long the authority that signs it is valid; renewed after two thirds", "", 6, 1e9},

  {"log-level", &settings::log_level, logging, "debug, info, warn or error", "TROUPE_LOG_LEVEL"},
  {"log-format", &settings::log_format, logging, "text or json", "TROUPE_LOG_FORMAT"},
  {"log-time-encoding", &settings::log_time_encoding, logging, "iso8601, rfc3339, rfc3339nano, or a number of epoch (seconds), millis, nano"},
  };
  return all;
}
// clang-format on

} // namespace

const std::vector<setting_row>& setting_rows() {
  return make_setting_rows();
}

const setting_row* find_setting_row(const std::string& name) {
  for (const auto& r : setting_rows())
    if (name == r.name)
      return &r;
  return nullptr;
}

bool is_reloadable(const std::string& name) {
  static const std::set<std::string> names{
      "kube-api-qps",     "kube-api-burst", "window-first", "window-most",
      "namespace-window", "log-level",      "log-format",   "log-time-encoding",
  };
  return names.count(name) > 0;
}

std::string nearest_setting_name(const std::string& name) {
  // A name in camelCase or with underscores is a frequent slip.
  std::string plain;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z')
      plain += '-';
    plain += c == '_' ? '-' : c;
  }
  std::vector<std::string> known;
  for (const auto& r : setting_rows())
    known.emplace_back(r.name);
  return k8s::nearest_word(k8s::lower_case(plain), known);
}

} // namespace troupe::config
