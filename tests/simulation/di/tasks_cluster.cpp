#include "tests/simulation/di/tasks_cluster.hpp"

#include "frameworks/di/tasks/tasks_request.hpp"
#include "tests/simulation/random.hpp"

#include <iterator>

namespace troupe::simulation {

tasks_cluster::tasks_cluster(std::uint64_t seed, const core::framework& row,
                             std::shared_ptr<simulated_api_server> api)
    : simulated_cluster(seed, row, api)
    , invariants_(row, std::move(api), job_key()) {}

json tasks_cluster::random_task(const char* type) {
  json task{{"type", type},
            {"replicas", chance(4) ? 0 : 1 + up_to(random(), 2)},
            {"template", di_template()}};
  if (type == std::string{"none"} && !chance(3))
    task["name"] = "extra";
  else if (chance(10))
    task["name"] = std::string{type} + "s";
  if (chance(1))
    task["template"]["spec"]["containers"] = json::array();
  return task;
}

json tasks_cluster::random_spec() {
  auto tasks = json::array();
  for (const char* type : {"learner", "collector", "evaluator", "none"})
    if (chance(50))
      tasks.push_back(random_task(type));
  if (tasks.empty() || chance(1))
    tasks.push_back(random_task("learner"));
  json spec{{"tasks", std::move(tasks)}, {"preemptible", chance(30)}};
  if (chance(90))
    spec["backoffLimit"] = up_to(random(), 3);
  if (chance(90))
    spec["cleanPodPolicy"] = random_clean_pod_policy(random());
  return spec;
}

// -- users --------------------------------------------------------------------

void tasks_cluster::user_step() {
  auto dice = random()() % 100;
  if (dice < 20)
    scale_job();
  else if (dice < 24)
    add_or_remove_task();
  else if (dice < 32)
    edit_policy();
  else if (dice < 60)
    delete_child();
  else if (dice < 64)
    orphan_child();
  else if (dice < 66)
    relabel_child();
  else if (dice < 69)
    occupy_name();
  else if (dice < 73)
    delete_job();
  else if (dice < 83)
    install_or_uninstall_webhook();
  else
    disturb_watches();
}

void tasks_cluster::scale_job() {
  edit_job([this](json& spec) {
    auto& tasks = spec["tasks"];
    tasks[random()() % tasks.size()]["replicas"] =
        chance(5) ? 0 : 1 + up_to(random(), 3);
  });
}

void tasks_cluster::add_or_remove_task() {
  edit_job([this](json& spec) {
    auto& tasks = spec["tasks"];
    if (tasks.size() > 1 && chance(50))
      tasks.erase(random()() % tasks.size());
    else if (auto task = random_task("none"); chance(80)) {
      task["name"] = "task-" + std::to_string(tasks.size());
      tasks.insert(tasks.begin(), std::move(task));
    }
  });
}

void tasks_cluster::edit_policy() {
  edit_job([this](json& spec) {
    switch (random()() % 3) {
    case 0:
      spec["backoffLimit"] = up_to(random(), 4);
      break;
    case 1:
      spec["preemptible"] = spec["preemptible"] != true;
      break;
    default:
      spec["cleanPodPolicy"] = random_clean_pod_policy(random());
    }
  });
}

/// Makes an object of its own with a name that the job needs.
void tasks_cluster::occupy_name() {
  if (!job())
    return;
  auto m = read_task_manifest(at(*job(), "spec"));
  const char* kind = chance(70) ? "pods" : "services";
  auto name = kind == std::string{"pods"} ? "job-" + m.tasks.front().name + "-0"
                                          : std::string{"di-job"};
  if (!api().find(kind, "ns/" + name))
    api().create(kind, {{"metadata", {{"name", name}, {"namespace", "ns"}}},
                        {"spec", json::object()}});
}

void tasks_cluster::remove_obstacles() {
  for (const char* kind : {"pods", "services"}) {
    key_list foreign;
    for (const auto& [key, o] : api().all(kind))
      if (owner_of(o).is_null() && label_of(o, "diengine/job") != "job")
        foreign.push_back(key);
    for (const auto& key : foreign)
      api().erase(kind, key);
  }
}

// -- kubelets -----------------------------------------------------------------

bool tasks_cluster::has_work_for_kubelet(const json& pod) const {
  const auto& phase = phase_of(pod);
  return deleting(pod) || phase == "Pending" || phase == "Unknown"
         || (phase == "Running" && !(faults_stopped() && is_ready(pod)));
}

void tasks_cluster::change_pending_pod(const std::string& key) {
  if (!faults_stopped() && chance(8))
    refuse(key);
  else
    simulated_cluster::change_pending_pod(key);
}

void tasks_cluster::change_running_pod(const std::string& key) {
  bool ready = is_ready(*api().find("pods", key));
  if (faults_stopped() || (!ready && chance(70)))
    return set_ready(key, true);
  auto dice = random()() % 100;
  const int codes[] = {1, 137, 143, 143, -1};
  if (dice < 25)
    set_phase(key, "Succeeded", 0);
  else if (dice < 38)
    set_phase(key, "Failed", codes[random()() % std::size(codes)]);
  else if (dice < 43)
    lose_node(key);
  else if (dice < 47)
    set_ready(key, false);
  else if (dice < 50)
    disrupt(key);
}

/// The node of the pod comes back, or the pod is deleted with it.
void tasks_cluster::change_other_pod(const std::string& key) {
  if (chance(50))
    set_phase(key, "Running", 0);
  else
    api().erase("pods", key);
}

/// There is no room for it on its node, or no device.
void tasks_cluster::refuse(const std::string& key) {
  const char* const reasons[] = {"OutOfcpu", "OutOfmemory",
                                 "UnexpectedAdmissionError"};
  api().change("pods", key, [&](json& pod) {
    pod["status"] = {{"phase", "Failed"}, {"reason", reasons[random()() % 3]}};
  });
}

void tasks_cluster::lose_node(const std::string& key) {
  api().change("pods", key, [](json& pod) {
    pod["status"]["phase"] = "Unknown";
    pod["status"]["reason"] = "NodeLost";
    pod["status"].erase("conditions");
  });
}

void tasks_cluster::set_ready(const std::string& key, bool ready) {
  auto ip = "10.0.0." + std::to_string(1 + api().version() % 250);
  api().change("pods", key, [&](json& pod) {
    auto& status = pod["status"];
    status["conditions"] = {
        {{"type", "ContainersReady"}, {"status", ready ? "True" : "False"}}};
    if (!status.contains("podIP"))
      status["podIP"] = ip;
  });
}

// -- requests of pods ---------------------------------------------------------

bool tasks_cluster::ask_at_end() {
  frameworks::di::task_request list;
  list.ns = "ns";
  list.job = "job";
  send_request(
      std::make_shared<const frameworks::di::task_request>(list),
      [this](const core::job_response& r) { invariants_.check_last_list(r); });
  return true;
}

} // namespace troupe::simulation
