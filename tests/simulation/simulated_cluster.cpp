#include "tests/simulation/simulated_cluster.hpp"

#include "tests/fixtures/fake_api_requests.hpp"

#include <algorithm>
#include <utility>

namespace troupe::simulation {

using fixtures::has_finalizers;

simulated_cluster::simulated_cluster(std::uint64_t seed,
                                     const core::framework& row,
                                     std::shared_ptr<simulated_api_server> api)
    : random_(seed)
    , row_(row)
    , api_(std::move(api))
    , loses_nodes_(row.pods.keeps_trouble && seed % 3 == 0)
    , nodes_(api_) {
  api_->on_write = [this](const k8s::request& r, const std::string& plural,
                          const std::string& key, const json& body) {
    if (is_removal_at_once(r, plural, body))
      return check_removal_at_once(r, key, body);
    invariants().operator_writes(r, plural, key, body);
  };
  api_->on_change = [this](const std::string& type, const std::string& plural,
                           const json& object) {
    invariants().object_changed(type, plural, object);
  };
}

void simulated_cluster::begin(request_sender send, report_sender report) {
  send_request_ = std::move(send);
  send_report_ = std::move(report);
  if (!loses_nodes_)
    nodes_.add("node");
  make_job();
}

void simulated_cluster::make_job() {
  const auto& type = row_.names.type;
  json job{{"apiVersion", type.api_version()},
           {"kind", type.kind},
           {"metadata", {{"name", "job"}, {"namespace", "ns"}}},
           {"spec", random_spec()}};
  add_to_new_job(job);
  api_->create(plural(), std::move(job));
}

void simulated_cluster::step() {
  if (loses_nodes_ && !faults_stopped_ && chance(10))
    nodes_.lose_or_return_one(random_);
  auto dice = static_cast<int>(random_() % 100);
  if (dice < 60)
    pod_step();
  else if (dice < 75)
    collect_garbage();
  else if (!faults_stopped_ && dice < 86)
    user_step();
  else
    controller_step(dice);
}

void simulated_cluster::stop_faults() {
  faults_stopped_ = true;
  webhook_.uninstall();
  invariants().faults_stopped();
}

// -- nodes --------------------------------------------------------------------

bool simulated_cluster::is_removal_at_once(const k8s::request& r,
                                           const std::string& plural,
                                           const json& body) const {
  return row_.pods.keeps_trouble && r.method == k8s::verb::remove
         && plural == "pods" && number(at(body, "gracePeriodSeconds"), 1) == 0;
}

void simulated_cluster::check_removal_at_once(const k8s::request& r,
                                              const std::string& key,
                                              const json& body) {
  const auto& pod = *api_->find("pods", key);
  invariants().pod_removed_at_once(r, pod, body, nodes_.has_ever_lost(pod));
}

std::vector<std::string> simulated_cluster::lost_pods_left() const {
  std::vector<std::string> result;
  const auto* j = job();
  if (!j || !at(*j, "spec", "runPolicy", "managedBy").is_null())
    return result;
  for (const auto& [key, pod] : api_->all("pods")) {
    bool ended = phase_of(pod) == "Succeeded" || phase_of(pod) == "Failed";
    if (nodes_.has_lost(pod) && !owner_of(pod).is_null()
        && label(pod, "job-name") == "job"
        && (deleting(pod) || !(ended || finished(*j))))
      result.push_back(key);
  }
  return result;
}

/// When all pods run that will: so each such life has lost pods.
void simulated_cluster::lose_last_node() {
  const auto& pods = api_->all("pods");
  bool any_runs = std::any_of(pods.begin(), pods.end(), [](const auto& entry) {
    return phase_of(entry.second) == "Running";
  });
  if (loses_nodes_ && any_runs && !std::exchange(last_node_lost_, true))
    nodes_.lose_or_return_one(random_);
}

std::string simulated_cluster::node_for_pod() {
  return loses_nodes_ ? nodes_.pick(random_) : "node";
}

// -- kubelets -----------------------------------------------------------------

void simulated_cluster::set_phase(const std::string& key, const char* phase,
                                  int exit_code) {
  auto node = node_for_pod();
  api_->change("pods", key, [&](json& pod) {
    auto& status = pod["status"];
    if (!pod["spec"].contains("nodeName"))
      pod["spec"]["nodeName"] = node;
    status["phase"] = phase;
    if (!status.contains("startTime"))
      status["startTime"] = api_->now();
    json state;
    if (std::string{phase} == "Running")
      state["running"] = json::object();
    else if (exit_code >= 0)
      state["terminated"] = container_end(exit_code);
    else {
      status["reason"] = "Evicted";
      status.erase("containerStatuses");
      return;
    }
    auto& containers = status["containerStatuses"];
    int restarts =
        containers.empty() ? 0 : number(at(containers[0], "restartCount"));
    containers = json::array({{{"name", row_.pods.container},
                               {"restartCount", restarts},
                               {"state", state}}});
  });
}

json simulated_cluster::container_end(int exit_code) {
  json end{{"exitCode", exit_code},
           {"reason", exit_code == 0                   ? "Completed"
                      : exit_code == 137 && chance(60) ? "OOMKilled"
                                                       : "Error"},
           {"finishedAt", api_->now()}};
  if (exit_code != 0 && chance(20))
    end["message"] = "NCCL error: timeout";
  return end;
}

/// As the scheduler, the taint manager, the eviction API, pod GC and kubelets
/// under pressure do it; it is deleted later, or not at all.
void simulated_cluster::disrupt(const std::string& key) {
  api_->change("pods", key, [](json& pod) {
    pod["status"]["conditions"] =
        json::array({{{"type", "DisruptionTarget"}, {"status", "True"}}});
  });
  const int codes[] = {1, 137, -1};
  set_phase(key, "Failed", codes[random_() % std::size(codes)]);
}

void simulated_cluster::restart_in_place(const std::string& key) {
  api_->change("pods", key, [](json& p) {
    auto& s = p["status"]["containerStatuses"][0]["restartCount"];
    s = s.get<int>() + 1;
  });
}

bool simulated_cluster::has_work_for_kubelet(const json& pod) const {
  const auto& phase = phase_of(pod);
  bool disrupted = is_true(at(pod, "status"), "DisruptionTarget");
  return deleting(pod) || phase == "Pending"
         || (phase == "Running" && !faults_stopped_)
         || (phase == "Failed" && disrupted && !faults_stopped_);
}

void simulated_cluster::change_pending_pod(const std::string& key) {
  if (!faults_stopped_ && chance(5))
    set_phase(key, "Failed", -1); // Evicted: the node is full.
  else if (!faults_stopped_ && chance(2))
    disrupt(key);
  else
    set_phase(key, "Running", 0);
}

void simulated_cluster::change_other_pod(const std::string& key) {
  api_->erase("pods", key); // Pod GC deletes it.
}

bool simulated_cluster::pod_step() {
  key_list keys;
  for (const auto& [key, pod] : api_->all("pods")) {
    // Of one that is nobody's, a person sees to it.
    bool stays =
        nodes_.has_lost(pod) && !(deleting(pod) && owner_of(pod).is_null());
    if (!stays && has_work_for_kubelet(pod))
      keys.push_back(key);
  }
  if (keys.empty())
    return false;
  auto key = keys[random_() % keys.size()];
  const auto& pod = *api_->find("pods", key);
  const auto& phase = phase_of(pod);
  if (deleting(pod)) {
    if (!faults_stopped_ && phase == "Running" && chance(30))
      set_phase(key, "Failed", 143); // SIGTERM ended it.
    else
      api_->erase("pods", key);
  } else if (phase == "Pending") {
    change_pending_pod(key);
  } else if (phase == "Running") {
    change_running_pod(key);
  } else {
    change_other_pod(key);
  }
  return true;
}

// -- the garbage collector ----------------------------------------------------

/// The resources whose objects may have an owner.
simulated_cluster::key_list simulated_cluster::child_kinds() const {
  auto kinds = api_->plurals();
  kinds.erase(std::remove_if(kinds.begin(), kinds.end(),
                             [this](const std::string& kind) {
                               return kind == plural() || kind == "events"
                                      || (loses_nodes_ && kind == "nodes");
                             }),
              kinds.end());
  return kinds;
}

bool simulated_cluster::is_living_owner(const std::string& uid) const {
  const auto* j = job();
  return j && uid_of(*j) == uid;
}

bool simulated_cluster::collect_garbage() {
  for (const auto& kind : child_kinds())
    for (const auto& [key, o] : api_->all(kind)) {
      const auto& owner = owner_of(o);
      bool waits = deleting(o) && has_finalizers(o);
      if (owner.is_null() || waits || is_living_owner(text(at(owner, "uid"))))
        continue;
      auto which = key;
      if (phase_of(o) == "Running" && !deleting(o))
        api_->change(kind, which, [this](json& x) {
          x["metadata"]["deletionTimestamp"] = api_->now();
        });
      else
        api_->remove(kind, which);
      return true;
    }
  return false;
}

bool simulated_cluster::finish_pending_work() {
  auto before = api_->version();
  while (collect_garbage())
    ;
  remove_obstacles();
  while (pod_step())
    ;
  lose_last_node();
  return api_->version() != before;
}

} // namespace troupe::simulation
