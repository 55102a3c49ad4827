#pragma once

#include "frameworks/core/model/expectations.hpp"
#include "frameworks/core/model/status.hpp"
#include "frameworks/core/observed/classify.hpp"
#include "frameworks/core/observed/failure_rules.hpp"
#include "frameworks/core/observed/failures.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::core {

/// What a job that makes pods by a batch/v1 Job has lost, and what no pod
/// tells.
struct lost_replica {
  std::string type;   ///< As the spec spells it: "Launcher".
  std::string name;   ///< Of its pod, or of the Job.
  bool failed = true; ///< By itself; else somebody has taken it away.
  std::string reason;
};

/// The attempts of a job: as wanted, and as they are saved on the server.
struct restart_state {
  const job& of;
  const classified_children& children;
  const expectations& open;
  const recovery_status& wanted;
  const recovery_status& saved;
  time_point now;
  /// Pods that are lost with their nodes, which nobody has deleted yet.
  std::vector<const child_view*> on_lost_nodes = {};
  std::vector<lost_replica> lost_replicas = {};
};

/// What a job does about pods that it has lost: the strongest action of all.
struct restart_decision {
  /// restart_replica_type, restart_job, or fail_job (by a rule).
  failure_action action = failure_action::restart_job;
  std::set<std::string> types; ///< To be restarted: "Worker". Empty: all.
  bool counts = true;          ///< Against the budget.
  bool ended_early = false;    ///< Within 10 s of its last pod's start.
  std::string pod;             ///< Name of the one that caused it, or "".
  std::string node;            ///< Its node, or "".
  std::string reason;          ///< For last_restart::reason.
  std::string what;            ///< "failed with exit code 137 (OOMKilled)".
  std::string rule;            ///< Name or number of the rule, or "".
};

/// nullopt: nothing of that kind is to be done. Looks at pods of the current
/// attempts only, those that are gone too; and at pods of older attempts for a
/// rule that fails the job.
std::optional<restart_decision> decide_restart(const restart_state& s,
                                               const observed_children& seen,
                                               const job_status& saved);

/// What follows from a pod that is being deleted, is gone, or is lost with its
/// node.
failure_decision decide_on_pod_taken_away(const job& j,
                                          const replica_spec& type,
                                          const child_view& pod,
                                          pod_loss how = pod_loss::taken_away);

/// Whether all pods of this type have run in its attempt, by the saved status:
/// one that is missing when a process begins was lost then, not never made.
bool have_all_run(const job_status& saved, const replica_spec& type);

/// Whether a process that begins after the deletion of a failed pod of this
/// type, which is to be replaced alone, would do that, too: by the saved status
/// one of its type does not run. Else it would restart the scope because of a
/// pod of which it knows nothing but that it is missing.
bool is_absence_recorded(const job& j, const job_status& saved,
                         const replica_spec& type);

/// Whether more than the pod is restarted, or the job fails.
bool concerns_more_than_pod(failure_action a);

/// "pod mnist-worker-1 on node n7 failed with exit code 137 (OOMKilled)"; "it
/// is stalled: ..." without a pod.
std::string describe_cause(const restart_decision& d);

} // namespace troupe::core
