#include "tests/simulation/queue/queue_cluster.hpp"

#include "tests/simulation/random.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::simulation {

namespace {

const char* const queue_label = "kueue.x-k8s.io/queue-name";
const char* const priority_label = "kueue.x-k8s.io/priority-class";

} // namespace

queue_cluster::queue_cluster(std::uint64_t seed, const core::framework& row,
                             std::shared_ptr<simulated_api_server> server)
    : simulated_cluster(seed, row, server)
    , invariants_(row, std::move(server), job_key())
    , kueue_(api(), random())
    , calm_(seed % 3 == 0) {
  kueue_.install();
}

core::queueing_options queue_cluster::queueing() const {
  core::queueing_options result;
  result.on = true;
  return result;
}

void queue_cluster::stop_faults() {
  simulated_cluster::stop_faults();
  kueue_.come_back();
  if (chance(75))
    kueue_.reactivate();
}

// -- the job ------------------------------------------------------------------

json queue_cluster::random_spec() {
  auto spec = random_job_spec();
  for (auto& type : spec[row().names.spec_field]) {
    auto& written = type["template"];
    if (chance(40))
      written["metadata"]["labels"]["team"] = "a";
    if (chance(20))
      written["metadata"]["annotations"]["note"] = "b";
    if (chance(20))
      written["spec"]["nodeSelector"]["disk"] = "fast";
    if (chance(3))
      written["spec"]["nodeSelector"]["zone"] = "b"; // No flavor has that.
    if (chance(20))
      written["spec"]["tolerations"] =
          json::array({{{"key", "own"}, {"operator", "Exists"}}});
  }
  return spec;
}

void queue_cluster::add_to_new_job(json& job) {
  auto& metadata = job["metadata"];
  metadata["labels"] = {{queue_label, chance(95) ? "q1" : "nope"}};
  if (chance(20))
    metadata["labels"][priority_label] = "high";
  if (chance(20))
    metadata["labels"]["kueue.x-k8s.io/max-exec-time-seconds"] = "600";
  if (chance(30))
    metadata["annotations"]["kueue.x-k8s.io/elastic-job"] = "true";
}

// -- users --------------------------------------------------------------------

void queue_cluster::user_step() {
  auto dice = random()() % 100;
  if (dice < 12)
    edit_job([](json& spec) {
      auto& suspend = spec["runPolicy"]["suspend"];
      suspend = suspend != true;
    });
  else if (dice < 24)
    scale_job();
  else if (dice < 26)
    change_policy();
  else if (dice < 34)
    move_job();
  else if (dice < 38)
    edit_template();
  else if (dice < 44)
    kueue_.deactivate();
  else if (dice < 54)
    kueue_.reactivate();
  else if (dice < 59)
    kueue_.delete_workload();
  else if (dice < 65)
    kueue_.go_away();
  else if (dice < 70)
    delete_pod();
  else if (dice < 75)
    delete_job();
  else if (dice < 79)
    delete_job_in_foreground();
  else if (dice < 85)
    install_or_uninstall_webhook();
  else
    disturb_watches();
}

void queue_cluster::scale_job() {
  edit_job([this](json& spec) {
    auto& types = spec[row().names.spec_field];
    auto i = types.begin();
    std::advance(i, static_cast<std::ptrdiff_t>(random()() % types.size()));
    i.value()["replicas"] = random_replica_count(i.key());
  });
}

/// Whether a failure restarts the whole job.
void queue_cluster::change_policy() {
  edit_job([](json& spec) {
    auto& policy = spec["runPolicy"];
    if (policy.erase("failurePolicy") == 0)
      policy["failurePolicy"] = {{"restartScope", "Job"}, {"maxRestarts", 2}};
  });
}

/// What may be changed of a job that waits.
void queue_cluster::move_job() {
  const char* const queues[] = {"q1", "q2", "nope"};
  const char* const classes[] = {"high", "low"};
  std::string queue = queues[chance(80) ? random()() % 2 : 2];
  std::string priority = classes[random()() % 2];
  bool ranks = chance(40);
  edit_while_suspended([&](json& job) {
    auto& labels = job["metadata"]["labels"];
    if (ranks)
      labels[priority_label] = priority;
    else
      labels[queue_label] = queue;
  });
}

/// Of a job that has nothing of an admission in its templates.
void queue_cluster::edit_template() {
  const auto* j = job();
  if (!j || j->dump().find("kueue.x-k8s.io/podset") != std::string::npos)
    return;
  auto text = "v" + std::to_string(random()() % 3);
  edit_while_suspended([&](json& job) {
    for (auto& type : job["spec"][row().names.spec_field])
      type["template"]["metadata"]["labels"]["version"] = text;
  });
  invariants_.templates_written();
}

void queue_cluster::edit_while_suspended(
    const std::function<void(json& job)>& how) {
  const auto* j = job();
  if (j && at(*j, "spec", "runPolicy", "suspend") == true)
    api().change(plural(), job_key(), how);
}

void queue_cluster::delete_pod() {
  auto key = random_child("pods");
  if (key.empty())
    return;
  if (phase_of(*api().find("pods", key)) != "Running" || chance(30))
    return api().erase("pods", key);
  api().change("pods", key, [this](json& o) {
    o["metadata"]["deletionTimestamp"] = api().now();
  });
}

void queue_cluster::delete_job_in_foreground() {
  api().change(plural(), job_key(), [this](json& j) {
    j["metadata"]["finalizers"] = json::array({"foregroundDeletion"});
    j["metadata"]["deletionTimestamp"] = api().now();
  });
}

bool queue_cluster::end_foreground_deletion() {
  const auto* j = job();
  if (!j || !deleting(*j))
    return false;
  for (const auto& kind : child_kinds())
    for (const auto& [key, o] : api().all(kind))
      if (text(at(owner_of(o), "uid")) == uid_of(*j))
        return false;
  api().change(plural(), job_key(),
               [](json& o) { o["metadata"].erase("finalizers"); });
  return true;
}

bool queue_cluster::is_living_owner(const std::string& uid) const {
  const auto* j = job();
  return j && uid_of(*j) == uid && !deleting(*j);
}

// -- others -------------------------------------------------------------------

void queue_cluster::controller_step(int dice) {
  if (end_foreground_deletion())
    return;
  if (!faults_stopped() && dice < 88)
    kueue_.come_back();
  kueue_.step();
}

void queue_cluster::remove_obstacles() {
  end_foreground_deletion();
  kueue_.finish();
}

bool queue_cluster::has_work_for_kubelet(const json& pod) const {
  return phase_of(pod) == "Running"
         || simulated_cluster::has_work_for_kubelet(pod);
}

void queue_cluster::change_pending_pod(const std::string& key) {
  if (calm_ || faults_stopped())
    set_phase(key, "Running", 0);
  else
    simulated_cluster::change_pending_pod(key);
  api().change("pods", key, [](json& pod) {
    if (phase_of(pod) == "Running")
      pod["status"]["conditions"] =
          json::array({{{"type", "Ready"}, {"status", "True"}}});
  });
}

void queue_cluster::change_running_pod(const std::string& key) {
  const int codes[] = {1, 137, 143, -1};
  auto dice = random()() % 100;
  if (faults_stopped() || dice < 15)
    set_phase(key, "Succeeded", 0);
  else if (!calm_ && dice < 30)
    set_phase(key, "Failed", codes[random()() % std::size(codes)]);
  else if (!calm_ && dice < 34)
    disrupt(key);
}

} // namespace troupe::simulation
