#include "config/setting_rows.hpp"

#include "k8s/text.hpp"

namespace troupe::config {

namespace {

using namespace std::chrono_literals;

template <class T>
struct same_type {
  using type = T;
};

/// A row of the table below.
struct row : setting_row {
  /// The help is one sentence, with the unit; the reason one clause.
  template <class T>
  row(const char* name_, T settings::*where_,
      typename same_type<T>::type standard_, const char* help_,
      const char* reason_)
      : setting_row{name_, where_, std::move(standard_), help_, reason_} {}

  row& from_environment(const char* variable) {
    env = variable;
    return *this;
  }
  row& between(double least, double most) {
    min = least;
    max = most;
    return *this;
  }
  row& one_of(std::vector<std::string> words) {
    choices = std::move(words);
    return *this;
  }
  row& takes_effect_at_once() {
    reloadable = true;
    return *this;
  }
};

struct group_of_rows {
  setting_group group;
  std::vector<setting_row> rows;
};

// clang-format off
/// Name, field, default, help, the reason for the default.
const std::vector<group_of_rows>& setting_table() {
  static const std::vector<group_of_rows> all = {
  {{"Cluster", ""}, {
  row{"kubeconfig", &settings::kubeconfig, "",
      "Kubeconfig file; empty: $KUBECONFIG, else the pod's service account, else ~/.kube/config",
      "found where every client of Kubernetes looks"},
  row{"context", &settings::context, "",
      "Context of the kubeconfig; empty: its current one",
      "as kubectl"},
  row{"namespace", &settings::ns, "",
      "Namespaces to look after, separated by commas, each with watchers of its own; empty: all",
      "as upstream"}
      .from_environment("KUBEFLOW_NAMESPACE"),
  }},
  {{"Addresses", "HOST:PORT, :PORT for all interfaces, 0 for off"}, {
  row{"health-probe-bind-address", &settings::health_address, ":8081",
      "Where /healthz and /readyz are served; 0: nowhere",
      "upstream's, so that probes of existing deployments keep working"},
  row{"metrics-bind-address", &settings::metrics_address, ":8080",
      "Where /metrics is served; 0: nowhere",
      "upstream's, so that existing scrape configurations keep working"},
  row{"admin-bind-address", &settings::admin_address, "127.0.0.1:8082",
      "Where the admin page is served; other than loopback only with a token, a certificate and its key; 0: nowhere",
      "loopback: it shows everybody's jobs and asks for no token"},
  row{"admin-token-file", &settings::admin_token_file, "",
      "File with the bearer token that the admin page asks for, 16 characters or more; empty: it asks for none",
      "on the loopback, whoever may log in to the machine may read"},
  row{"admin-tls-cert-file", &settings::admin_tls_cert_file, "",
      "File with the certificate chain (PEM) of the admin page; empty: plain HTTP",
      "nothing leaves the machine on the loopback"},
  row{"admin-tls-key-file", &settings::admin_tls_key_file, "",
      "File with the key (PEM) of that certificate",
      "nothing leaves the machine on the loopback"},
  row{"di-server-bind-address", &settings::di_server_bind_address, ":8083",
      "Where pods of DIJobs ask for replicas; 0: nowhere",
      "the next port after those of upstream and of the admin page; a Service maps upstream's 8080 to it"},
  }},
  {{"Threads and actors", ""}, {
  row{"controller-threads", &settings::controller_threads, 0,
      "Threads that plan and act; 0: one for two cores",
      "reconciles are short and never wait, and HTTP needs as much CPU again"}
      .between(0, 1024),
  row{"http-threads", &settings::http_threads, 1,
      "Threads that speak HTTP with the API server",
      "one was 1.4 times as fast as two for a single watch, and carries a thousand creations a second"}
      .between(1, 64),
  row{"gateways", &settings::gateways, 1,
      "Gateways to the API server",
      "one carries what an API server can take"}
      .between(1, 64),
  row{"directories", &settings::directories, 0,
      "Directories, each for a share of the jobs; 0: one per thread of the actor system",
      "so that no single actor handles every watch event"}
      .between(0, 64),
  row{"child-watchers", &settings::child_watchers, 1,
      "Watches of pods, and of services, per namespace of --namespace, each for some of the job kinds",
      "one connection carries the pods of a thousand jobs; more cost the API server more"}
      .between(1, 16),
  }},
  {{"Calls to the API server", ""}, {
  row{"kube-api-qps", &settings::kube_api_qps, 0,
      "Calls per second, all gateways together; 0: no limit of ours",
      "the server limits its clients itself (429 with Retry-After), and that is obeyed"}
      .between(0, 1e6).takes_effect_at_once(),
  row{"kube-api-burst", &settings::kube_api_burst, 0,
      "Calls that may exceed the rate at once; 0: twice kube-api-qps; named alone it makes kube-api-qps 20",
      "twice the rate is what client-go's users have in mind"}
      .between(0, 1e6).takes_effect_at_once(),
  row{"window-first", &settings::window_first, 16,
      "Calls in flight per gateway, at first",
      "so that a server that has just started is not overloaded"}
      .between(1, 10000).takes_effect_at_once(),
  row{"window-most", &settings::window_most, 64,
      "Calls in flight per gateway, at most",
      "64 were 1.4 times as fast as 16 against a real server; more did not help"}
      .between(1, 10000).takes_effect_at_once(),
  row{"namespace-window", &settings::namespace_window, 0,
      "Calls in flight per gateway for the jobs of one namespace, at most; 0: no limit",
      "jobs take turns already; for clusters where one tenant creates thousands of jobs"}
      .between(0, 10000).takes_effect_at_once(),
  row{"slow-start-first", &settings::slow_start_first, 8,
      "Creations in flight per replica type, at first",
      "a pod that admission refuses is refused a few times, not a thousand times"}
      .between(1, 10000),
  row{"slow-start-most", &settings::slow_start_most, 64,
      "Creations in flight per replica type, at most",
      "as many as one gateway has in flight"}
      .between(1, 10000),
  row{"list-page", &settings::list_page, 500,
      "Objects per page of a list",
      "what the API server's own clients ask for"}
      .between(1, 10000),
  row{"request-limit", &settings::request_limit, 30s,
      "Wait for the answer to one call",
      "a server answers within seconds unless it is overloaded or hangs"}
      .between(0.1, 3600),
  row{"watch-limit", &settings::watch_limit, 300s,
      "Ask the server to end a watch cleanly after this",
      "so that watches spread over the servers of a cluster again"}
      .between(1, 86400),
  row{"watch-idle-limit", &settings::watch_idle_limit, 150s,
      "Silence after which a watch counts as broken",
      "servers send a bookmark about once a minute"}
      .between(1, 86400),
  }},
  {{"Jobs", ""}, {
  row{"status-interval", &settings::status_interval, 1s,
      "Least time between two status writes of one job",
      "so that a thousand pods that start at once do not become a thousand writes"}
      .between(0, 3600),
  row{"stop-limit", &settings::stop_limit, 4s,
      "For what is in flight when told to stop",
      "5 s are promised in all"}
      .between(0, 4.5),
  row{"lost-node-period", &settings::lost_node_period, 0s,
      "Replace a pod whose node has not reported for so long, or has not ended it for so long after its grace period, if that node is gone, not ready, unreachable or out of service; 0: never; a process on a node that is only cut off may go on beside its replacement and write to the same checkpoint",
      "as upstream, which waits for ever; whoever sets it has to bear two of a process"}
      .between(0, 86400),
  row{"progress-url", &settings::progress_url, "",
      "URL (https, without a slash at its end) below which pods of jobs with runPolicy.progress.report are told to report how far they are; empty: the Service of the webhooks, or this machine",
      "where the server of the reports is"},
  row{"log-streams", &settings::log_streams, 200,
      "Logs that are read at a time for jobs with runPolicy.progress.logRules, one of each job; an event tells the others that they wait; 0: none",
      "each is a connection to the API server and up to 200 KiB of memory"}
      .between(0, 5000),
  row{"cluster-domain", &settings::cluster_domain, "",
      "Domain behind the names of services, as in name.namespace.svc.DOMAIN",
      "the resolver of the pod knows it"}
      .from_environment("CUSTOM_CLUSTER_DOMAIN"),
  row{"enable-scheme", &settings::enable_schemes, {},
      "Job kind to look after, or one version of it (MPIJob.v2beta1), may be repeated; none: every kind known",
      "as upstream"},
  row{"gang-scheduler-name", &settings::gang_scheduler, "",
      "Scheduler that places a job's pods together: volcano, kubernetes (1.37's own gangs), or the name scheduler-plugins' has",
      "as upstream"},
  row{"kueue", &settings::kueue, "auto",
      "Whether jobs with a queue label wait for Kueue by Workloads of this operator's; auto: where Kueue is and its own integration of the kind is off",
      "who installs Kueue and labels a job wants it to wait"}
      .one_of({"auto", "own", "off"}),
  row{"kueue-jobs-without-queue", &settings::kueue_jobs_without_queue, {},
      "Namespace in which jobs without a queue label wait for Kueue, too, in its LocalQueue default where there is one, may be repeated; *: all but kube-system and kueue-system",
      "a job that names no queue runs at once"},
  }},
  {{"Leader election", ""}, {
  row{"leader-elect", &settings::leader_elect, false,
      "Write only while holding the Lease; needed for more than one replica",
      "as upstream; the manifests of deploy/ set it"},
  row{"leader-election-id", &settings::leader_election_id, "1ca428e5.training-operator.kubeflow.org",
      "Name of the Lease; the operator's Role names it as well (resourceNames): change both together",
      "upstream's, so that both never lead at the same time"},
  row{"leader-election-namespace", &settings::leader_election_namespace, "",
      "Namespace of the Lease; empty: the pod's, else the one of --namespace, else default",
      "where the operator has the right to it"},
  row{"leader-election-lease-duration", &settings::lease_duration, 15s,
      "Others may lead when the Lease has not been renewed for so long",
      "as client-go"}
      .between(1, 3600),
  row{"leader-election-renew-deadline", &settings::lease_renew_deadline, 10s,
      "A leader that has not renewed the Lease for so long stops writing",
      "as client-go; the rest of the duration is for calls on their way"}
      .between(0.5, 3600),
  row{"leader-election-retry-period", &settings::lease_retry_period, 2s,
      "Between two renewals of the Lease",
      "as client-go"}
      .between(0.1, 3600),
  row{"ignore-lease", &settings::ignore_lease, false,
      "Without leader-elect: start even if another operator holds the Lease; no job may belong to both",
      "two operators on the same jobs work against each other"},
  }},
  {{"Frameworks", ""}, {
  row{"pytorch-init-container-image", &settings::pytorch_init_image, "alpine:3.10",
      "Image that waits for a PyTorchJob's master",
      "as upstream"},
  row{"pytorch-init-container-template-file", &settings::pytorch_init_template, "/etc/config/initContainer.yaml",
      "Template of that container; an empty list: none",
      "as upstream"},
  row{"pytorch-init-container-max-tries", &settings::pytorch_init_max_tries, 100,
      "How often it asks for the master",
      "as upstream"}
      .between(1, 1e6),
  row{"mpi-kubectl-delivery-image", &settings::mpi_kubectl_image, "ghcr.io/kubeflow/training-v1/kubectl-delivery:latest",
      "Image that brings kubectl to an MPIJob's launcher",
      "as upstream"},
  row{"mpi-operator-lease-namespaces", &settings::mpi_operator_lease_namespaces, "mpi-operator,kubeflow",
      "Namespaces, separated by commas, where mpi-operator may hold its Lease: while it does, MPIJobs of v2beta1 are left to it; empty: it is not looked for",
      "where its manifests put it"},
  }},
  {{"DIJobs", ""}, {
  row{"server-address", &settings::di_server_address, "di-server.di-system:8080",
      "Address of di-server that pods of DIJobs are told, HOST:PORT; empty: the one where it listens",
      "as upstream"},
  row{"di-server-url", &settings::di_server_url, "http://di-server.di-system.svc.cluster.local:8081",
      "URL of di-server that pods of DIJobs of tasks (v2alpha1) are told; empty: the one where it listens",
      "as upstream"},
  row{"service-domain-name", &settings::service_domain_name, "svc.cluster.local",
      "What the names of services end with after the namespace, in the names that pods of DIJobs of tasks are told",
      "as upstream"},
  row{"di-server-advertise-host", &settings::di_server_advertise_host, "",
      "Host or IP address by which other replicas forward requests for DIJobs, and reports of pods, to this one when it leads; empty: clients have to ask the leader",
      "only the pod knows its address"}
      .from_environment("MY_POD_IP"),
  row{"di-server-access", &settings::di_server_access, "job-pods",
      "Who may ask for replicas of a DIJob: job-pods (what has the address of one of its pods) or anybody",
      "a job's replicas are the job's business; old clients outside of its pods need anybody"}
      .one_of({"job-pods", "anybody"}),
  row{"agconfig-namespace", &settings::agconfig_namespace, "di-system",
      "Namespace of the AggregatorConfig",
      "as upstream"},
  row{"agconfig-name", &settings::agconfig_name, "aggregator-config",
      "Name of the AggregatorConfig",
      "as upstream"},
  row{"gpu-alloc-policy", &settings::gpu_alloc_policy, "simple",
      "How the GPUs of a learner are divided into pods: simple",
      "as upstream"}
      .one_of({"simple"}),
  }},
  {{"Webhooks", ""}, {
  row{"webhook-server-port", &settings::webhook_port, 9443,
      "Port of the webhooks, which are served in a cluster, or with webhook-url",
      "as upstream"}
      .between(1, 65535),
  row{"webhook-service-name", &settings::webhook_service, "training-operator",
      "Service in front of the webhooks",
      "as upstream"},
  row{"webhook-secret-name", &settings::webhook_secret, "training-operator-webhook-cert",
      "Secret with the webhooks' certificates",
      "as upstream"},
  row{"webhook-url", &settings::webhook_url, "",
      "https://HOST:PORT where the API server reaches the webhooks; the operator makes their configuration; empty: by the Service, in a cluster only",
      "outside of a cluster no Service leads to the operator"},
  row{"webhook-certificate-life", &settings::webhook_certificate_life, 8760h,
      "How long the webhooks' certificate is valid; renewed after two thirds",
      "as upstream"}
      .between(3, 1e9),
  row{"webhook-authority-life", &settings::webhook_authority_life, 87600h,
      "How long the authority that signs it is valid; renewed after two thirds",
      "as upstream"}
      .between(6, 1e9),
  }},
  {{"Log", ""}, {
  row{"log-level", &settings::log_level, "info",
      "debug, info, warn or error",
      "one line for each thing that an administrator would do something about"}
      .from_environment("TROUPE_LOG_LEVEL").one_of({"debug", "info", "warn", "error"}).takes_effect_at_once(),
  row{"log-format", &settings::log_format, "text",
      "text or json",
      "for people; collectors read json better"}
      .from_environment("TROUPE_LOG_FORMAT").one_of({"text", "json"}).takes_effect_at_once(),
  row{"log-time-encoding", &settings::log_time_encoding, "iso8601",
      "iso8601, rfc3339, rfc3339nano, or a number of epoch (seconds), millis, nano",
      "sorts as text, and has milliseconds"}
      .one_of({"iso8601", "rfc3339", "rfc3339nano", "epoch", "millis", "nano"}).takes_effect_at_once(),
  }},
  };
  return all;
}
// clang-format on

/// Names that settings had before.
struct former_name {
  const char* former;
  const char* name;
};
constexpr former_name former_names[] = {
    {"scheduler-threads", "controller-threads"},
};

std::vector<setting_row> make_setting_rows() {
  std::vector<setting_row> result;
  for (const auto& part : setting_table())
    for (auto r : part.rows) {
      r.group = &part.group;
      result.push_back(std::move(r));
    }
  return result;
}

} // namespace

settings::settings() {
  for (const auto& r : setting_rows())
    std::visit(
        [&](auto field) {
          using type = std::decay_t<decltype(this->*field)>;
          this->*field = std::get<type>(r.standard);
        },
        r.where);
}

const std::vector<setting_row>& setting_rows() {
  static const auto all = make_setting_rows();
  return all;
}

const setting_row* find_setting_row(std::string_view name) {
  for (const auto& r : setting_rows())
    if (name == r.name)
      return &r;
  return nullptr;
}

std::vector<std::string> setting_choices(std::string_view name) {
  const auto* r = find_setting_row(name);
  return r ? r->choices : std::vector<std::string>{};
}

const char* current_name_of_former(std::string_view name) {
  for (const auto& f : former_names)
    if (name == f.former)
      return f.name;
  return nullptr;
}

std::vector<std::string> former_setting_names() {
  std::vector<std::string> result;
  for (const auto& f : former_names)
    result.emplace_back(f.former);
  return result;
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
