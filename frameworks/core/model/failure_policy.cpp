#include "frameworks/core/model/failure_policy.hpp"

#include <algorithm>

namespace troupe::core {

const char* to_string(failure_verdict v) {
  switch (v) {
  case failure_verdict::ignore:
    return "Ignore";
  case failure_verdict::restart_pod:
    return "RestartPod";
  case failure_verdict::restart_replica_type:
    return "RestartReplicaType";
  case failure_verdict::restart_job:
    return "RestartJob";
  case failure_verdict::fail_job:
    return "FailJob";
  }
  return "";
}

const char* to_string(restart_scope s) {
  switch (s) {
  case restart_scope::pod:
    return "Pod";
  case restart_scope::replica_type:
    return "ReplicaType";
  case restart_scope::job:
    return "Job";
  }
  return "";
}

bool failure_policy::may_restart_beyond_pod() const {
  return scope != restart_scope::pod || restarts_stalled
         || std::any_of(rules.begin(), rules.end(), [](const auto& rule) {
              return rule.action == failure_verdict::restart_replica_type
                     || rule.action == failure_verdict::restart_job;
            });
}

} // namespace troupe::core
