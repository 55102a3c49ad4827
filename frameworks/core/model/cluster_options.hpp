#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

namespace troupe::core {

/// The scheduler that places the pods of a job together, and how pods are
/// marked for it.
enum class gang : std::uint8_t {
  none,
  volcano,      ///< scheduling.volcano.sh/v1beta1; pods wait for admission.
  coscheduling, ///< scheduling.x-k8s.io/v1alpha1 (scheduler-plugins).
  kubernetes,   ///< scheduling.k8s.io/v1beta1, of Kubernetes itself.
};

/// Whether jobs with the label of a queue of Kueue's wait for it, by Workloads
/// that this operator makes.
struct queueing_options {
  bool on = false;
  bool unknown = false; ///< Not found out yet: such jobs are left as they are.
  /// It is wanted, and cannot be: such jobs are held, and nothing is asked for.
  bool holds = false;
  /// The kinds, as "v1/tfjobs", that Kueue's own integration looks
  /// after.
  std::set<std::string> left_to_kueue;
  /// Those of which that is not known yet: their jobs with a queue are left as
  /// they are.
  std::set<std::string> undecided = {};
  /// Why it is off, or on only to hold jobs; "": nobody wanted it.
  std::string why_off;

  bool operator==(const queueing_options& other) const {
    return on == other.on && unknown == other.unknown && holds == other.holds
           && left_to_kueue == other.left_to_kueue
           && undecided == other.undecided && why_off == other.why_off;
  }
};

/// What plan() may know of the cluster: plain values from the operator's
/// settings.
struct cluster_options {
  std::string cluster_domain; ///< CUSTOM_CLUSTER_DOMAIN, usually "".
  /// Image of the init container that waits for a PyTorchJob's master.
  std::string master_wait_image;
  /// JSON list of such containers, the master's address marked; "": the
  /// built-in one.
  std::string master_wait_template;
  int master_wait_tries = 100;
  std::string kubectl_image; ///< Brings kubectl to an MPIJob's launcher.
  gang scheduling = gang::none;
  /// Its name, for the pods; "" for Kubernetes' own.
  std::string gang_scheduler;
  queueing_options queueing;
  /// Namespaces in which a job waits for a queue also if it names none; "*":
  /// all but kube-system and kueue-system.
  std::set<std::string> queueing_namespaces;
  /// After how long the pods of a node that does not report are replaced, in
  /// jobs that name no period; 0: never.
  std::chrono::milliseconds lost_node_period{0};
  /// Where pods report how far they are, the path of the job is appended:
  /// "https://HOST:PORT/progress"; "": nowhere.
  std::string progress_url;
  /// The certificates of the authorities of that server, PEM; "": not known
  /// yet.
  std::string progress_authority;
  /// When a report of any job could not be taken, because the API server did
  /// not answer, or there were too many; 0: never.
  std::chrono::system_clock::time_point reports_missed{};
  /// Where the pods of DIJobs reach di-server.
  std::string di_server_address = "di-server.di-system:8080";
  /// The same for DIJobs of tasks: a URL.
  std::string di_server_url =
      "http://di-server.di-system.svc.cluster.local:8081";
  /// What the DNS names of pods end with, after the namespace, in the lists
  /// that a DIJob's pods get.
  std::string service_domain = "svc.cluster.local";
  /// How the GPUs of a DIJob's learner are divided into pods (see
  /// di/gpu_allocation).
  std::string gpu_policy = "simple";
  /// The AggregatorConfig of all DIJobs.
  std::string agconfig_ns = "di-system";
  std::string agconfig_name = "aggregator-config";
};

} // namespace troupe::core
