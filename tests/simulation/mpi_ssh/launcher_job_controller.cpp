#include "tests/simulation/mpi_ssh/launcher_job_controller.hpp"

#include "tests/simulation/mpi_ssh/launcher_job_invariants.hpp"
#include "tests/simulation/random.hpp"

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

void launcher_job_controller::step(bool may_be_late) {
  const auto* launcher = api_.find("jobs", launcher_job_key);
  bool is_gone = !last_seen_.is_null()
                 && (!launcher || uid_of(*launcher) != uid_of(last_seen_));
  if (is_gone && may_be_late && chance(random_, 30))
    make_launcher_pod(last_seen_);
  last_seen_ = launcher && text(at(owner_of(*launcher), "kind")) == "MPIJob"
                   ? *launcher
                   : json{};
  act();
}

json launcher_job_controller::launcher_pods() const {
  auto result = json::array();
  const auto* launcher = api_.find("jobs", launcher_job_key);
  for (const auto& [key, pod] : api_.all("pods"))
    if (launcher && text(at(owner_of(pod), "uid")) == uid_of(*launcher))
      result.push_back(pod);
  return result;
}

bool launcher_job_controller::act() {
  const auto* launcher = api_.find("jobs", launcher_job_key);
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
bool launcher_job_controller::count_failures(const json& pods) {
  for (const auto& pod : pods)
    if (phase_of(pod) == "Failed" && counted_.insert(uid_of(pod)).second) {
      api_.change("jobs", launcher_job_key, [](json& o) {
        auto& failed = o["status"]["failed"];
        failed = number(failed) + 1;
      });
      return true;
    }
  return false;
}

/// Deleted by others: that counts as a failure.
bool launcher_job_controller::count_vanished_pods() {
  for (const auto& [key, uid] : made_)
    if (const auto* pod = api_.find("pods", key);
        (!pod || uid_of(*pod) != uid) && counted_.insert(uid).second) {
      api_.change("jobs", launcher_job_key, [](json& o) {
        auto& failed = o["status"]["failed"];
        failed = number(failed) + 1;
      });
      return true;
    }
  return false;
}

bool launcher_job_controller::suspend_launcher(const json& pods) {
  for (const auto& pod : pods)
    if (!has_pod_ended(pod) && !deleting(pod)) {
      made_.erase(key_of(pod)); // It does not count.
      delete_pod(key_of(pod));
      return true;
    }
  if (is_true(at(*api_.find("jobs", launcher_job_key), "status"), "Suspended"))
    return false;
  set_launcher_condition("Suspended", "True", "JobSuspended");
  return true;
}

bool launcher_job_controller::resume_launcher(const json& pods) {
  const auto& launcher = *api_.find("jobs", launcher_job_key);
  const auto& status = at(launcher, "status");
  if (is_true(status, "Suspended")) {
    set_launcher_condition("Suspended", "False", "JobResumed");
    return true;
  }
  if (at(status, "startTime").is_null()) {
    api_.change("jobs", launcher_job_key,
                [this](json& o) { o["status"]["startTime"] = api_.now(); });
    return true;
  }
  for (const auto& pod : pods)
    if (phase_of(pod) == "Succeeded") {
      api_.change("jobs", launcher_job_key, [this](json& o) {
        o["status"]["succeeded"] = 1;
        o["status"]["completionTime"] = api_.now();
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

void launcher_job_controller::make_launcher_pod(const json& launcher) {
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
  api_.create("pods", std::move(pod));
  if (const auto* pod_now = api_.find("pods", key);
      pod_now && uid_of(launcher) == maker_)
    made_[key] = uid_of(*pod_now);
}

void launcher_job_controller::delete_pod(const std::string& key) {
  if (phase_of(*api_.find("pods", key)) == "Running")
    api_.change("pods", key, [this](json& o) {
      o["metadata"]["deletionTimestamp"] = api_.now();
    });
  else
    api_.erase("pods", key);
}

void launcher_job_controller::set_launcher_condition(const char* type,
                                                     const char* status,
                                                     const char* reason) {
  api_.change("jobs", launcher_job_key, [&](json& o) {
    auto& all = o["status"]["conditions"];
    if (!all.is_array())
      all = json::array();
    auto same = [&](const json& c) { return c["type"] == type; };
    all.erase(std::remove_if(all.begin(), all.end(), same), all.end());
    all.push_back({{"type", type},
                   {"status", status},
                   {"reason", reason},
                   {"message", "said by the Job controller"},
                   {"lastTransitionTime", api_.now()}});
  });
}

} // namespace troupe::simulation
