#pragma once

#include "tests/simulation/json_access.hpp"
#include "tests/simulation/simulated_api_server.hpp"

#include <map>
#include <random>
#include <set>
#include <string>

namespace troupe::simulation {

/// What the Job controller does with the launcher's Job, one thing at a time:
/// it makes, ends and counts the Job's pods, late, and is never asked.
class launcher_job_controller {
public:
  launcher_job_controller(simulated_api_server& api, std::mt19937_64& random)
      : api_(api)
      , random_(random) {}

  /// One thing, or nothing. `may_be_late`: it may have read a Job before that
  /// was deleted, and make its pod after.
  void step(bool may_be_late);
  /// Whether there was something to do.
  bool act();

private:
  bool suspend_launcher(const json& pods);
  bool resume_launcher(const json& pods);
  bool count_failures(const json& pods);
  bool count_vanished_pods();
  void make_launcher_pod(const json& launcher);
  void delete_pod(const std::string& key);
  void set_launcher_condition(const char* type, const char* status,
                              const char* reason);
  json launcher_pods() const;

  simulated_api_server& api_;
  std::mt19937_64& random_;
  std::set<std::string> counted_; ///< Failed pods, by UID.
  /// Pods that the present Job has, as its controller knows: key and UID.
  std::map<std::string, std::string> made_;
  std::string maker_; ///< UID of that Job.
  json last_seen_;    ///< The Job, as the controller last saw it.
  int launcher_pods_made_ = 0;
};

} // namespace troupe::simulation
