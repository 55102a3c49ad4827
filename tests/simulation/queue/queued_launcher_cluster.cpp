#include "tests/simulation/queue/queued_launcher_cluster.hpp"

#include "tests/simulation/mpi_ssh/launcher_job_invariants.hpp"
#include "tests/simulation/random.hpp"

namespace troupe::simulation {

namespace {

json template_of_pod() {
  return {{"spec", {{"containers", {{{"name", "mpi"}, {"image", "image"}}}}}}};
}

bool is_worker(const json& pod) {
  return label(pod, "job-role") == "worker";
}

} // namespace

queued_launcher_cluster::queued_launcher_cluster(
    std::uint64_t seed, const core::framework& row,
    std::shared_ptr<simulated_api_server> api)
    : queue_cluster(seed, row, std::move(api))
    , job_controller_(this->api(), random()) {}

/// A worker that fails is made again: a launcher may wait for it.
json queued_launcher_cluster::random_job_spec() {
  json types{{"Launcher", {{"template", template_of_pod()}}}};
  bool takes_part = chance(30);
  if (!takes_part || chance(80))
    types["Worker"] = {{"replicas", random_replica_count("Worker")},
                       {"restartPolicy", "OnFailure"},
                       {"template", template_of_pod()}};
  const char* const policies[] = {"None", "Running", "All"};
  json policy{{"cleanPodPolicy", policies[random()() % 3]},
              {"suspend", chance(25)}};
  if (chance(50))
    policy["backoffLimit"] = up_to(random(), 2);
  if (chance(20))
    policy["ttlSecondsAfterFinished"] = up_to(random(), 60);
  if (chance(20))
    policy["failurePolicy"] = {{"restartScope", "Job"}, {"maxRestarts", 2}};
  return {{"createdAs", "v2beta1"},
          {"runPolicy", std::move(policy)},
          {"mpiReplicaSpecs", std::move(types)},
          {"runLauncherAsWorker", takes_part},
          {"launcherCreationPolicy",
           chance(30) ? "WaitForWorkersReady" : "AtStartup"}};
}

int queued_launcher_cluster::random_replica_count(const std::string& type) {
  return type == "Launcher" ? 1 : 1 + up_to(random(), 2);
}

void queued_launcher_cluster::controller_step(int dice) {
  if (dice % 2 == 0)
    job_controller_.step(!faults_stopped());
  else
    queue_cluster::controller_step(dice);
}

void queued_launcher_cluster::remove_obstacles() {
  queue_cluster::remove_obstacles();
  while (job_controller_.act())
    ;
}

/// A worker waits for its launcher, and does not end by itself.
bool queued_launcher_cluster::has_work_for_kubelet(const json& pod) const {
  if (faults_stopped() && is_worker(pod) && phase_of(pod) == "Running"
      && !deleting(pod))
    return false;
  return queue_cluster::has_work_for_kubelet(pod);
}

void queued_launcher_cluster::change_running_pod(const std::string& key) {
  if (!is_worker(*api().find("pods", key)))
    return queue_cluster::change_running_pod(key);
  const int codes[] = {1, 137, -1};
  if (!is_calm() && chance(10))
    set_phase(key, "Failed", codes[random()() % std::size(codes)]);
  else if (!is_calm() && chance(4))
    disrupt(key);
}

/// The launcher's pods are its Job's.
bool queued_launcher_cluster::is_living_owner(const std::string& uid) const {
  const auto* launcher = api().find("jobs", launcher_job_key);
  return queue_cluster::is_living_owner(uid)
         || (launcher && uid_of(*launcher) == uid && !deleting(*launcher));
}

} // namespace troupe::simulation
