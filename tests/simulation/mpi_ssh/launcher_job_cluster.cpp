#include "tests/simulation/mpi_ssh/launcher_job_cluster.hpp"

#include "tests/simulation/random.hpp"
#include "tests/simulation/replica_types/random_policies.hpp"

#include <iterator>

namespace troupe::simulation {

namespace {

json pod_template() {
  return {{"spec", {{"containers", {{{"name", "mpi"}, {"image", "image"}}}}}}};
}

} // namespace

launcher_job_cluster::launcher_job_cluster(
    std::uint64_t seed, const core::framework& row,
    std::shared_ptr<simulated_api_server> api)
    : simulated_cluster(seed, row, api)
    , invariants_(row, std::move(api), job_key())
    , takes_reports_(seed % 10 >= 7)
    , job_controller_(this->api(), random()) {}

json launcher_job_cluster::random_spec() {
  json types{{"Launcher", {{"template", pod_template()}}}};
  bool takes_part = chance(30);
  if (!takes_part || chance(80)) {
    types["Worker"] = {{"replicas", 1 + up_to(random(), 2)},
                       {"template", pod_template()}};
    if (chance(50))
      types["Worker"]["restartPolicy"] = chance(50) ? "OnFailure" : "Never";
  }
  const char* const policies[] = {"None", "Running", "All"};
  json policy{{"cleanPodPolicy", policies[random()() % 3]},
              {"suspend", chance(25)}};
  if (chance(50))
    policy["backoffLimit"] = up_to(random(), 2);
  if (chance(20))
    policy["ttlSecondsAfterFinished"] = up_to(random(), 60);
  if (chance(10))
    policy["activeDeadlineSeconds"] = 1 + up_to(random(), 300);
  if (chance(50))
    policy["failurePolicy"] = random_failure_policy();
  if (takes_reports_)
    policy["progress"] = random_progress_policy(random());
  return {{"createdAs", "v2beta1"},
          {"runPolicy", std::move(policy)},
          {"mpiReplicaSpecs", std::move(types)},
          {"runLauncherAsWorker", takes_part},
          {"launcherCreationPolicy",
           chance(30) ? "WaitForWorkersReady" : "AtStartup"}};
}

/// At the end all are silent: some day there is no restart left.
json launcher_job_cluster::random_failure_policy() {
  json policy{{"restartScope", chance(80) ? "Job" : "ReplicaType"}};
  if (chance(40) || takes_reports_)
    policy["maxRestarts"] = up_to(random(), 3);
  if (chance(40)) {
    const char* const actions[] = {"FailJob", "Ignore", "RestartPod",
                                   "RestartJob"};
    policy["rules"] = json::array(
        {{{"action", actions[random()() % std::size(actions)]},
          {"onExitCodes", {{"operator", "In"}, {"values", {137}}}}}});
  }
  return policy;
}

// -- users --------------------------------------------------------------------

void launcher_job_cluster::user_step() {
  auto dice = random()() % 100;
  if (dice < 18)
    scale_job();
  else if (dice < 36)
    edit_job([](json& spec) {
      auto& suspend = spec["runPolicy"]["suspend"];
      suspend = suspend != true;
    });
  else if (dice < 41)
    edit_policy();
  else if (dice < 61)
    delete_child();
  else if (dice < 64)
    orphan_worker();
  else if (dice < 67)
    occupy_name();
  else if (dice < 72)
    edit_object_for_pods();
  else if (dice < 76)
    delete_job();
  else if (dice < 83)
    install_or_uninstall_webhook();
  else
    disturb_watches();
}

void launcher_job_cluster::scale_job() {
  edit_job([this](json& spec) {
    auto& types = spec["mpiReplicaSpecs"];
    if (types.contains("Worker"))
      types["Worker"]["replicas"] = 1 + up_to(random(), 3);
  });
}

void launcher_job_cluster::edit_policy() {
  edit_job([this](json& spec) {
    auto& policy = spec["runPolicy"];
    if (chance(50))
      policy["ttlSecondsAfterFinished"] = up_to(random(), 60);
    else
      policy["cleanPodPolicy"] = chance(50) ? "All" : "Running";
  });
}

/// Changes the lists of hosts, or takes a key away.
void launcher_job_cluster::edit_object_for_pods() {
  const char* kind = chance(50) ? "configmaps" : "secrets";
  auto key = random_child(kind);
  if (!key.empty())
    api().change(kind, key, [](json& o) {
      if (o.contains("data") && !o["data"].empty())
        o["data"].erase(o["data"].begin());
    });
}

/// Removes a worker's owner, as a restored backup does.
void launcher_job_cluster::orphan_worker() {
  auto key = random_child("pods");
  if (key.empty() || label(*api().find("pods", key), "job-role") != "worker")
    return;
  invariants().child_orphaned(*api().find("pods", key));
  api().change("pods", key,
               [](json& o) { o["metadata"].erase("ownerReferences"); });
}

/// Makes an object of its own with a name that the job needs.
void launcher_job_cluster::occupy_name() {
  const std::pair<const char*, const char*> names[] = {
      {"pods", "job-worker-0"},
      {"pods", "job-worker-1"},
      {"services", "job"},
      {"secrets", "job-ssh"},
      {"configmaps", "job-config"}};
  auto [kind, name] = names[random()() % std::size(names)];
  if (!api().find(kind, std::string{"ns/"} + name))
    api().create(kind, {{"metadata", {{"name", name}, {"namespace", "ns"}}},
                        {"spec", json::object()}});
}

void launcher_job_cluster::delete_foreign_objects() {
  for (const auto& kind : child_kinds()) {
    key_list foreign;
    for (const auto& [key, o] : api().all(kind))
      if (owner_of(o).is_null())
        foreign.push_back(key);
    for (const auto& key : foreign)
      api().erase(kind, key);
  }
}

void launcher_job_cluster::remove_obstacles() {
  delete_foreign_objects();
  while (job_controller_.act())
    ;
}

void launcher_job_cluster::controller_step(int) {
  job_controller_.step(!faults_stopped());
}

// -- kubelets -----------------------------------------------------------------

bool launcher_job_cluster::has_work_for_kubelet(const json& pod) const {
  const auto& phase = phase_of(pod);
  return deleting(pod) || phase == "Pending"
         || (phase == "Running"
             && !(faults_stopped() && has_ready_condition(pod)))
         || (phase == "Failed" && is_disrupted(pod) && !faults_stopped());
}

void launcher_job_cluster::change_pending_pod(const std::string& key) {
  if (!faults_stopped() && chance(6))
    end_pod(key, "Failed", -1); // Evicted: the node is full.
  else
    set_phase(key, "Running", 0);
}

void launcher_job_cluster::change_running_pod(const std::string& key) {
  bool ready = has_ready_condition(*api().find("pods", key));
  if (faults_stopped() || (!ready && chance(70)))
    return set_ready(key);
  if (takes_reports_ && chance(40))
    return report(key);
  auto dice = random()() % 100;
  const int codes[] = {1, 137, 143, -1};
  if (dice < 20)
    end_pod(key, "Succeeded", 0);
  else if (dice < 35)
    end_pod(key, "Failed", codes[random()() % std::size(codes)]);
  else if (dice < 40)
    disrupt(key);
}

void launcher_job_cluster::report(const std::string& key) {
  send_report(uid_of(*api().find("pods", key)), [this](k8s::time_point when) {
    invariants_.report_taken(seconds_of(k8s::to_rfc3339(when)));
  });
}

/// One that has ended is not ready any more.
void launcher_job_cluster::end_pod(const std::string& key, const char* phase,
                                   int exit_code) {
  api().change("pods", key,
               [](json& pod) { pod["status"].erase("conditions"); });
  set_phase(key, phase, exit_code);
}

void launcher_job_cluster::set_ready(const std::string& key) {
  api().change("pods", key, [](json& pod) {
    pod["status"]["conditions"] =
        json::array({{{"type", "Ready"}, {"status", "True"}}});
  });
}

/// The launcher's pods are its Job's.
bool launcher_job_cluster::is_living_owner(const std::string& uid) const {
  const auto* launcher = api().find("jobs", launcher_job_key);
  return simulated_cluster::is_living_owner(uid)
         || (launcher && uid_of(*launcher) == uid);
}

} // namespace troupe::simulation
