// What the Job controller does with the launcher's Job, one thing at a time.
#include "tests/simulation/mpi_ssh/launcher_job_cluster.hpp"

#include <algorithm>

namespace troupe::simulation {

namespace {

constexpr int default_backoff_limit = 6;

bool has_pod_ended(const json& pod) {
  const auto& phase = phase_of(pod);
  return phase == "Succeeded" || phase == "Failed";
}

std::string key_of(const json& object) {
  return "ns/" + name_of(object);
}

} // namespace

/// It may have read a Job before that was deleted, and make its pod after.
void launcher_job_cluster::controller_step(int) {
  const auto* launcher = api().find("jobs", launcher_job_key);
  bool is_gone = !last_seen_.is_null()
                 && (!launcher || uid_of(*launcher) != uid_of(last_seen_));
  if (is_gone && !faults_stopped() && chance(30)) {
    invariants_.set_next_pod_is_late(true);
    make_launcher_pod(last_seen_);
    invariants_.set_next_pod_is_late(false);
  }
  last_seen_ = launcher && text(at(owner_of(*launcher), "kind")) == "MPIJob"
                   ? *launcher
                   : json{};
  act_for_job_controller();
}

json launcher_job_cluster::launcher_pods() const {
  auto result = json::array();
  const auto* launcher = api().find("jobs", launcher_job_key);
  for (const auto& [key, pod] : api().all("pods"))
    if (launcher && text(at(owner_of(pod), "uid")) == uid_of(*launcher))
      result.push_back(pod);
  return result;
}

bool launcher_job_cluster::act_for_job_controller() {
  const auto* launcher = api().find("jobs", launcher_job_key);
  if (!launcher || deleting(*launcher)
      || text(at(owner_of(*launcher), "kind")) != "MPIJob"
      || has_job_ended(*launcher))
    return false;
  const auto pods = launcher_pods();
  if (uid_of(*launcher) != maker_) {
    maker_ = uid_of(*launcher);
    made_.clear();
  }
  if (count_failures(pods) || count_vanished_pods())
    return true;
  if (at(*launcher, "spec", "suspend") == true)
    return suspend_launcher(pods);
  return resume_launcher(pods);
}

/// A pod that was deleted counts as failed, too; so what was counted stays.
bool launcher_job_cluster::count_failures(const json& pods) {
  for (const auto& pod : pods)
    if (phase_of(pod) == "Failed" && counted_.insert(uid_of(pod)).second) {
      api().change("jobs", launcher_job_key, [](json& o) {
        auto& failed = o["status"]["failed"];
        failed = number(failed) + 1;
      });
      return true;
    }
  return false;
}

/// Deleted by others: that counts as a failure.
bool launcher_job_cluster::count_vanished_pods() {
  for (const auto& [key, uid] : made_)
    if (const auto* pod = api().find("pods", key);
        (!pod || uid_of(*pod) != uid) && counted_.insert(uid).second) {
      api().change("jobs", launcher_job_key, [](json& o) {
        auto& failed = o["status"]["failed"];
        failed = number(failed) + 1;
      });
      return true;
    }
  return false;
}

bool launcher_job_cluster::suspend_launcher(const json& pods) {
  for (const auto& pod : pods)
    if (!has_pod_ended(pod) && !deleting(pod)) {
      made_.erase(key_of(pod)); // It does not count.
      delete_pod(key_of(pod));
      return true;
    }
  if (is_true(at(*api().find("jobs", launcher_job_key), "status"), "Suspended"))
    return false;
  set_launcher_condition("Suspended", "True", "JobSuspended");
  return true;
}

bool launcher_job_cluster::resume_launcher(const json& pods) {
  const auto& launcher = *api().find("jobs", launcher_job_key);
  const auto& status = at(launcher, "status");
  if (is_true(status, "Suspended")) {
    set_launcher_condition("Suspended", "False", "JobResumed");
    return true;
  }
  if (at(status, "startTime").is_null()) {
    api().change("jobs", launcher_job_key,
                 [this](json& o) { o["status"]["startTime"] = api().now(); });
    return true;
  }
  for (const auto& pod : pods)
    if (phase_of(pod) == "Succeeded") {
      api().change("jobs", launcher_job_key, [this](json& o) {
        o["status"]["succeeded"] = 1;
        o["status"]["completionTime"] = api().now();
      });
      set_launcher_condition("Complete", "True", "CompletionsReached");
      return true;
    }
  if (number(at(status, "failed"))
      > number(at(launcher, "spec", "backoffLimit"), default_backoff_limit)) {
    set_launcher_condition("Failed", "True", "BackoffLimitExceeded");
    return true;
  }
  bool active = std::any_of(pods.begin(), pods.end(), [](const json& pod) {
    return !has_pod_ended(pod);
  });
  if (!active)
    make_launcher_pod(launcher);
  return !active;
}

void launcher_job_cluster::make_launcher_pod(const json& launcher) {
  const auto& made = at(launcher, "spec", "template");
  auto pod = json{{"metadata", at(made, "metadata")},
                  {"spec", at(made, "spec")},
                  {"status", {{"phase", "Pending"}}}};
  auto& meta = pod["metadata"];
  meta["name"] =
      "job-launcher-" + std::to_string(10'000 + ++launcher_pods_made_);
  meta["namespace"] = "ns";
  meta["ownerReferences"] = json::array({{{"apiVersion", "batch/v1"},
                                          {"kind", "Job"},
                                          {"name", name_of(launcher)},
                                          {"uid", uid_of(launcher)},
                                          {"controller", true}}});
  const auto key = key_of(pod);
  api().create("pods", std::move(pod));
  if (const auto* pod_now = api().find("pods", key);
      pod_now && uid_of(launcher) == maker_)
    made_[key] = uid_of(*pod_now);
}

void launcher_job_cluster::delete_pod(const std::string& key) {
  if (phase_of(*api().find("pods", key)) == "Running")
    api().change("pods", key, [this](json& o) {
      o["metadata"]["deletionTimestamp"] = api().now();
    });
  else
    api().erase("pods", key);
}

void launcher_job_cluster::set_launcher_condition(const char* type,
                                                  const char* status,
                                                  const char* reason) {
  api().change("jobs", launcher_job_key, [&](json& o) {
    auto& all = o["status"]["conditions"];
    if (!all.is_array())
      all = json::array();
    auto same = [&](const json& c) { return c["type"] == type; };
    all.erase(std::remove_if(all.begin(), all.end(), same), all.end());
    all.push_back({{"type", type},
                   {"status", status},
                   {"reason", reason},
                   {"message", "said by the Job controller"},
                   {"lastTransitionTime", api().now()}});
  });
}

} // namespace troupe::simulation
