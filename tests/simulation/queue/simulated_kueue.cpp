#include "tests/simulation/queue/simulated_kueue.hpp"

#include "tests/simulation/random.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

namespace troupe::simulation {

namespace {

/// Requeued is set to True again by Kueue for these reasons, and no other.
bool comes_back(const std::string& reason) {
  return reason.rfind("Deactivated", 0) == 0 || reason == "PodsReadyTimeout"
         || reason == "AdmissionCheck" || reason == "ClusterQueueStopped"
         || reason == "LocalQueueStopped";
}

json grant_of(const json& pod_set, int count) {
  return {{"name", at(pod_set, "name")},
          {"count", count},
          {"flavors", {{"cpu", "f1"}, {"memory", "f2"}}}};
}

} // namespace

const json& workload_condition(const json& workload, const char* type) {
  static const json none;
  for (const auto& c : at(workload, "status", "conditions"))
    if (text(at(c, "type")) == type)
      return c;
  return none;
}

bool is_guarded(const json& workload) {
  const auto& all = at(workload, "metadata", "finalizers");
  return all.is_array()
         && std::find(all.begin(), all.end(), "kueue.x-k8s.io/resource-in-use")
                != all.end();
}

bool simulated_kueue::chance(int percent) {
  return simulation::chance(random_, percent);
}

void simulated_kueue::install() {
  auto make = [&](const char* plural, const char* name, json more) {
    more["metadata"] = {{"name", name}, {"namespace", ""}};
    api_.create(plural, std::move(more));
  };
  make("resourceflavors", "f1",
       {{"spec",
         {{"nodeLabels", {{"zone", "a"}}},
          {"tolerations", {{{"key", "spot"}, {"operator", "Exists"}}}}}}});
  make("resourceflavors", "f2", {{"spec", json::object()}});
  make("workloadpriorityclasses", "high", {{"value", 10}});
  make("workloadpriorityclasses", "low", {{"value", 1}});
  make("priorityclasses", "high", {{"value", 5}});
}

std::optional<k8s::failure>
simulated_kueue::refusal_of(const k8s::request& call) const {
  bool asked = call.resource == workloads_plural
               || call.resource == std::string{workloads_plural} + "/status";
  if (!away_ || !asked || !is_write(call) || call.method == k8s::verb::remove)
    return std::nullopt;
  return k8s::failure{k8s::ec::server_error,
                      "failed calling webhook \"vworkload.kb.io\""};
}

std::string simulated_kueue::pick() {
  const auto& all = api_.all(workloads_plural);
  if (all.empty())
    return {};
  auto i = all.begin();
  std::advance(i, up_to(random_, static_cast<int>(all.size()) - 1));
  return i->first;
}

void simulated_kueue::step() {
  if (away_)
    return;
  if (auto key = pick(); !key.empty())
    act(key, false);
}

bool simulated_kueue::finish() {
  come_back();
  bool any = false;
  std::vector<std::string> keys;
  for (const auto& [key, w] : api_.all(workloads_plural))
    keys.push_back(key);
  for (const auto& key : keys)
    any |= act(key, true);
  return any;
}

bool simulated_kueue::act(const std::string& key, bool willing) {
  const auto& w = *api_.find(workloads_plural, key);
  if (holds(w, "Finished") || deleting(w))
    return false;
  if (at(w, "spec", "active") == false && !holds(w, "Evicted")) {
    evict(key, "Deactivated");
    return true;
  }
  return holds(w, "QuotaReserved") ? act_on_reserved(key, willing)
                                   : act_on_waiting(key, willing);
}

bool simulated_kueue::act_on_waiting(const std::string& key, bool willing) {
  const auto& w = *api_.find(workloads_plural, key);
  if (at(w, "spec", "active") == false)
    return false;
  if (const auto& again = workload_condition(w, "Requeued");
      text(at(again, "status")) == "False") {
    if (!comes_back(text(at(again, "reason"))) || !(willing || chance(50)))
      return false;
    change(key, [this](json& o) {
      set(o, "Requeued", true, "BackoffFinished", "The time is over");
    });
    return true;
  }
  const auto& queue = text(at(w, "spec", "queueName"));
  if (queue != "q1" && queue != "q2") {
    wait(key, "LocalQueue " + queue + " doesn't exist");
    return false;
  }
  if (!willing && chance(40))
    wait(key, "couldn't assign flavors to pod set worker: insufficient quota");
  else if (!replace_old_slice(w))
    reserve(key, willing);
  return true;
}

bool simulated_kueue::act_on_reserved(const std::string& key, bool willing) {
  static const char* const reasons[] = {
      "Preempted",         "PodsReadyTimeout",
      "AdmissionCheck",    "ClusterQueueStopped",
      "LocalQueueStopped", "DeactivatedDueToMaximumExecutionTimeExceeded",
      "NodeFailures"};
  const auto& w = *api_.find(workloads_plural, key);
  if (holds(w, "Evicted"))
    return false; // Its owner releases it.
  if (!willing && chance(15)) {
    evict(key, reasons[random_() % std::size(reasons)]);
    return true;
  }
  if (!holds(w, "Admitted")) {
    change(key, [this](json& o) {
      for (auto& check : o["status"]["admissionChecks"])
        check["state"] = "Ready";
      set(o, "Admitted", true, "Admitted", "The workload is admitted");
    });
    return true;
  }
  return false;
}

/// Before the admission of the new one, which is another write.
bool simulated_kueue::replace_old_slice(const json& slice) {
  const auto& old = text(at(slice, "metadata", "annotations",
                            "kueue.x-k8s.io/workload-slice-replacement-for"));
  const auto* w = old.empty() ? nullptr : api_.find(workloads_plural, old);
  if (!w || holds(*w, "Finished"))
    return false;
  change(old, [this](json& o) {
    set(o, "Finished", true, "WorkloadSliceReplaced", "Replaced");
  });
  return true;
}

void simulated_kueue::wait(const std::string& key, const std::string& message) {
  change(key,
         [&](json& o) { set(o, "QuotaReserved", false, "Pending", message); });
}

void simulated_kueue::reserve(const std::string& key, bool willing) {
  bool checked = !willing && chance(25);
  change(key, [&](json& o) {
    auto grants = json::array();
    for (const auto& set : at(o, "spec", "podSets")) {
      int count = number(at(set, "count"));
      if (int least = number(at(set, "minCount")); least > 0 && !willing)
        count = least + up_to(random_, std::max(count - least, 0));
      grants.push_back(grant_of(set, count));
    }
    o["status"]["admission"] = {{"clusterQueue", "cq"},
                                {"podSetAssignments", std::move(grants)}};
    set(o, "QuotaReserved", true, "QuotaReserved", "Quota reserved");
    if (holds(o, "Evicted"))
      set(o, "Evicted", false, "QuotaReserved", "Previously: evicted");
    o["status"].erase("admissionChecks");
    if (checked)
      o["status"]["admissionChecks"] =
          json::array({{{"name", "check"},
                        {"state", "Pending"},
                        {"message", "asks for machines"}}});
    else
      set(o, "Admitted", true, "Admitted", "The workload is admitted");
  });
}

void simulated_kueue::evict(const std::string& key, const std::string& reason) {
  change(key, [&](json& o) {
    set(o, "Evicted", true, reason, "Evicted: " + reason);
    if (reason == "Preempted")
      set(o, "Preempted", true, "InClusterQueue", "for another");
    if (reason.rfind("Deactivated", 0) == 0)
      o["spec"]["active"] = false;
    overwrite_with_older(o);
  });
}

/// The conditions of other writers are in Kueue's writes, too, as it knew them.
void simulated_kueue::overwrite_with_older(json& workload) {
  auto older = older_pods_ready_.find(uid_of(workload));
  if (older == older_pods_ready_.end() || !chance(20))
    return;
  for (auto& c : workload["status"]["conditions"])
    if (text(at(c, "type")) == "PodsReady")
      c = older->second;
}

void simulated_kueue::change(const std::string& key,
                             const std::function<void(json&)>& how) {
  api_.change(workloads_plural, key, how);
  if (const auto* w = api_.find(workloads_plural, key))
    if (const auto& c = workload_condition(*w, "PodsReady"); !c.is_null())
      older_pods_ready_[uid_of(*w)] = c;
}

void simulated_kueue::set(json& workload, const char* type, bool is_true,
                          const std::string& reason,
                          const std::string& message) {
  auto& all = workload["status"]["conditions"];
  json wanted{{"type", type},
              {"status", is_true ? "True" : "False"},
              {"reason", reason},
              {"message", message},
              {"lastTransitionTime", api_.now()}};
  for (auto& c : all)
    if (text(at(c, "type")) == type) {
      if (at(c, "status") == wanted["status"])
        wanted["lastTransitionTime"] = c["lastTransitionTime"];
      c = std::move(wanted);
      return;
    }
  all.push_back(std::move(wanted));
}

// -- people -------------------------------------------------------------------

void simulated_kueue::deactivate() {
  if (auto key = pick(); !key.empty() && !away_)
    api_.change(workloads_plural, key,
                [](json& o) { o["spec"]["active"] = false; });
}

void simulated_kueue::reactivate() {
  if (away_)
    return;
  std::vector<std::string> keys;
  for (const auto& [key, w] : api_.all(workloads_plural))
    keys.push_back(key);
  for (const auto& key : keys)
    api_.change(workloads_plural, key, [](json& o) {
      if (at(o, "spec", "active") == false)
        o["spec"]["active"] = true;
    });
}

void simulated_kueue::delete_workload() {
  if (auto key = pick(); !key.empty())
    api_.remove(workloads_plural, key);
}

} // namespace troupe::simulation
