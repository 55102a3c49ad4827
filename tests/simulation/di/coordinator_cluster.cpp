#include "tests/simulation/di/coordinator_cluster.hpp"

#include "tests/simulation/random.hpp"

namespace troupe::simulation {

namespace {

constexpr const char* configs = "aggregatorconfigs";
constexpr const char* config_key = "di-system/aggregator-config";

} // namespace

coordinator_cluster::coordinator_cluster(
    std::uint64_t seed, const core::framework& row,
    std::shared_ptr<simulated_api_server> api)
    : simulated_cluster(seed, row, api)
    , invariants_(row, std::move(api), job_key()) {}

json coordinator_cluster::random_spec() {
  json spec{{"coordinator", {{"template", di_template()}}}};
  if (chance(3))
    spec["coordinator"]["template"]["spec"]["containers"] = json::array();
  for (const char* section : {"collector", "learner"})
    if (chance(90))
      spec[section]["template"] = di_template();
  if (chance(80))
    spec["cleanPodPolicy"] = random_clean_pod_policy(random());
  if (chance(50)) {
    auto& container = spec["coordinator"]["template"]["spec"]["containers"][0];
    if (container.is_object())
      container["ports"] = {{{"name", "di-port"}, {"containerPort", 22270}}};
    else
      spec["coordinator"]["template"]["spec"]["containers"] = json::array();
  }
  if (api().all("nodes").empty())
    for (int n = up_to(random(), 3); n > 0; --n)
      make_node();
  if (!api().find(configs, config_key) && chance(90))
    make_or_delete_aggregator_config();
  return spec;
}

// -- users --------------------------------------------------------------------

void coordinator_cluster::user_step() {
  auto dice = random()() % 100;
  if (dice < 8)
    edit_spec();
  else if (dice < 50)
    delete_child();
  else if (dice < 54)
    orphan_child();
  else if (dice < 57)
    occupy_name();
  else if (dice < 60)
    make_or_delete_aggregator_config();
  else if (dice < 63)
    make_node();
  else if (dice < 68)
    delete_job();
  else if (dice < 80)
    install_or_uninstall_webhook();
  else
    disturb_watches();
}

void coordinator_cluster::edit_spec() {
  edit_job([this](json& spec) {
    const char* section = chance(50) ? "collector" : "learner";
    if (chance(50))
      spec["cleanPodPolicy"] = random_clean_pod_policy(random());
    else if (spec.contains(section) && chance(30))
      spec.erase(section);
    else
      spec[section]["template"] = di_template();
  });
}

/// Makes an object of its own with a name that a pod or service of the job
/// needs.
void coordinator_cluster::occupy_name() {
  const char* kind = chance(50) ? "pods" : "services";
  auto key =
      chance(50) ? std::string{"ns/job-coordinator"} : random_child("pods");
  if (!key.empty() && !api().find(kind, key))
    api().create(kind,
                 {{"metadata", {{"name", key.substr(3)}, {"namespace", "ns"}}},
                  {"spec", json::object()}});
}

void coordinator_cluster::make_or_delete_aggregator_config() {
  if (api().find(configs, config_key))
    api().erase(configs, config_key);
  else
    api().create(configs,
                 {{"metadata",
                   {{"name", "aggregator-config"}, {"namespace", "di-system"}}},
                  {"spec", {{"aggregator", {{"template", di_template()}}}}}});
}

/// Nodes of one cluster have one to four GPUs. (The fake API has objects in
/// namespaces only.)
void coordinator_cluster::make_node() {
  auto name = "node-" + std::to_string(api().version());
  api().create(
      "nodes",
      {{"metadata", {{"name", name}, {"namespace", "none"}}},
       {"status",
        {{"allocatable",
          {{"nvidia.com/gpu", std::to_string(1 + up_to(random(), 3))}}}}}});
}

void coordinator_cluster::remove_obstacles() {
  for (const char* kind : {"pods", "services"}) {
    key_list foreign;
    for (const auto& [key, o] : api().all(kind))
      if (owner_of(o).is_null() && label_of(o, "dijob-name") != "job")
        foreign.push_back(key);
    for (const auto& key : foreign)
      api().erase(kind, key);
  }
}

// -- kubelets -----------------------------------------------------------------

/// The coordinator ends last.
void coordinator_cluster::change_running_pod(const std::string& key) {
  bool is_coordinator = key == "ns/job-coordinator";
  if (is_coordinator && chance(85))
    return;
  auto dice = random()() % 100;
  if (dice < 20)
    set_phase(key, "Succeeded", 0);
  else if (dice < 35)
    set_phase(key, "Failed", chance(50) ? 1 : 137);
  else if (dice < 50)
    restart_in_place(key);
  else if (dice < 55)
    disrupt(key);
}

// -- requests of pods ---------------------------------------------------------

/// A coordinator asks when it runs; few requests come from elsewhere.
void coordinator_cluster::controller_step(int) {
  const auto* coordinator = api().find("pods", "ns/job-coordinator");
  bool runs = coordinator && phase_of(*coordinator) == "Running";
  if (!faults_stopped() && (runs || chance(10)))
    for (int n = 1 + up_to(random(), 2); n > 0; --n)
      send(random_request());
}

void coordinator_cluster::send(request what, response_handler done) {
  auto shared = std::make_shared<const request>(std::move(what));
  auto number = invariants_.request_sent(shared);
  send_request(shared, [this, number,
                        done = std::move(done)](const core::job_response& r) {
    if (api().trace)
      api().trace("response " + std::to_string(number) + ": "
                  + std::to_string(r.status) + " " + r.message + " " + r.data);
    invariants_.request_answered(number, r);
    if (done)
      done(r);
  });
  if (api().trace)
    api().trace("request " + std::to_string(number) + ": verb "
                + std::to_string(static_cast<int>(shared->verb)));
}

coordinator_cluster::request coordinator_cluster::random_request() {
  using frameworks::di::request_verb;
  request r;
  r.ns = "ns";
  r.coordinator = "job-coordinator";
  auto dice = random()() % 100;
  if (dice < 40) {
    r.verb = request_verb::add;
    r.collectors.replicas = up_to(random(), 3);
    ask_for_learners(r);
  } else if (dice < 60) {
    r.verb = request_verb::remove;
    r.collectors.replicas = up_to(random(), 2);
    r.learners.replicas = up_to(random(), 2);
  } else if (dice < 80) {
    r.verb = request_verb::replace;
    r.failed_collectors = random_replicas(2);
    for (auto& name : random_replicas(2))
      if (!is_reported_pod(r, name))
        r.failed_learners.push_back(std::move(name));
  } else if (dice < 85) {
    auto names = random_replicas(1);
    r.coordinator.clear();
    r.aggregator = names.empty() ? "job-aggregator-bcdfg" : names[0];
  }
  return r;
}

void coordinator_cluster::ask_for_learners(request& what) {
  what.learners.replicas = up_to(random(), 2);
  if (chance(25))
    return;
  what.learners.gpu_count = up_to(random(), most_gpus);
  what.learners.gpus = std::to_string(what.learners.gpu_count);
}

/// Names of pods, none twice.
std::vector<std::string> coordinator_cluster::random_replicas(int most) {
  std::vector<std::string> result;
  for (int n = chance(30) ? 0 : 1 + up_to(random(), most - 1); n > 0; --n) {
    auto key = random_child("pods");
    if (key.empty() || (key == "ns/job-coordinator" && chance(90)))
      continue;
    if (auto name = key.substr(3); result.empty() || result.front() != name)
      result.push_back(std::move(name));
  }
  return result;
}

/// When nothing fails any more, a collector comes and goes.
bool coordinator_cluster::ask_at_end() {
  if (!job() || finished(*job()) || !api().find("pods", "ns/job-coordinator")) {
    ask_for_last_list();
    return true;
  }
  request change;
  change.verb = frameworks::di::request_verb::add;
  change.ns = "ns";
  change.coordinator = "job-coordinator";
  change.collectors.replicas = 1;
  bool has_collectors = at(*job(), "spec").contains("collector");
  int status = has_collectors ? 200 : 400;
  send(change, [this, change, status](const core::job_response& r) {
    invariants_.check_last_status(r, status);
    auto back = change;
    back.verb = frameworks::di::request_verb::remove;
    send(back, [this](const core::job_response& last) {
      invariants_.check_last_status(last, 200);
      ask_for_last_list();
    });
  });
  return true;
}

void coordinator_cluster::ask_for_last_list() {
  request list;
  list.ns = "ns";
  list.coordinator = "job-coordinator";
  send_request(
      std::make_shared<const request>(list),
      [this](const core::job_response& r) { invariants_.check_last_list(r); });
}

} // namespace troupe::simulation
