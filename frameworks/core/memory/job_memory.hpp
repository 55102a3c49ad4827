#pragma once

#include "frameworks/core/base/uid_key.hpp"
#include "frameworks/core/memory/memory_change.hpp"
#include "frameworks/core/model/decision.hpp"
#include "frameworks/core/model/expectations.hpp"
#include "frameworks/core/model/status.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::exploration {
struct state_reader;
} // namespace troupe::exploration

namespace troupe::core {

/// All that is known of one job and its children: the cache of children, the
/// orders in flight, and the expectations. Facts and results may come in any
/// order. A value; time and randomness are arguments.
class job_memory {
public:
  /// nullptr: none was decoded yet.
  const job_ptr& job() const { return job_; }
  const observed_children& observed() const { return seen_; }
  const core::expectations& expectations() const { return expectations_; }
  const std::map<std::uint64_t, shared_value<decision>>&
  orders_in_flight() const {
    return orders_;
  }

  /// Forgets the failed creations of replicas that the job does not have.
  void set_job_and_forget_obsolete_failures(job_ptr j);

  // Facts. `saved` is the latest status known to be on the API server.

  /// A watcher has seen a child, in or after its list of this number. Dropped
  /// if the job could not be decoded yet.
  memory_change record_child_seen(child_kind kind, const k8s::object& child,
                                  const child_claims& claims,
                                  std::uint64_t list_number,
                                  const job_status& saved);
  /// The child was in a list of the recovery. Ignored if it is not the job's:
  /// lists of auxiliary objects contain those of other jobs.
  memory_change record_child_listed_if_own(child_kind kind,
                                           const k8s::object& child,
                                           std::uint64_t list_version,
                                           const job_status& saved);
  memory_change record_child_deleted(child_kind kind, const std::string& uid);
  /// The object that had this name is gone: a creation that was refused
  /// because of it need not wait any longer.
  memory_change record_name_freed(child_kind kind, const std::string& name);
  /// A watcher's list is complete; see observed_children::forget_unlisted. An
  /// object that had the name of a child to be created may have gone unseen.
  memory_change record_list_complete(child_kind kind, std::uint64_t list_number,
                                     std::uint64_t version);
  memory_change record_not_admitted_reason(child_kind kind,
                                           const std::string& uid,
                                           const std::string& reason,
                                           const std::string& message);

  /// Whether a report of this pod would be taken: the job asks for reports, and
  /// the pod is the job's and has not ended.
  bool takes_reports_of(const std::string& pod_uid) const {
    return find_reporting_pod(pod_uid) != nullptr;
  }
  /// A pod says how far the job is. nullopt: its reports are not taken.
  std::optional<memory_change> record_report(const std::string& pod_uid,
                                             progress_status report,
                                             time_point now);
  /// The log of a pod says so. The pod may have ended. nullopt: the job has no
  /// rules for logs, or not this pod.
  std::optional<memory_change> record_log_report(const std::string& pod_uid,
                                                 progress_status report,
                                                 time_point now);

  /// Whether the log of this pod, which is to tell how far the job is, is being
  /// read.
  memory_change record_log_reading(const std::string& pod_uid, bool is_read);

  /// Since when the job tells nothing, as a pass has found.
  void record_silence(const shared_value<silence_clock>& c) {
    if (seen_.silence() != c)
      seen_.record_silence(c);
  }

  // Orders.

  /// Starts the expectation and numbers the order. `status` is the desired
  /// status of the job.
  child_order record_issued_order(const decision& d, const job_status& status,
                                  time_point now);
  memory_change apply_order_result(const order_done& report,
                                   const job_status& saved,
                                   const cluster_options& cluster);
  /// `jitter` in [0, 1).
  memory_change apply_order_result(const order_failed& report,
                                   const job_status& saved, time_point now,
                                   double jitter);
  memory_change apply_order_result(const orders_cancelled& report);
  /// Forgets the failures of a creation of a pod or service that will not be
  /// tried again. Any other decision changes nothing.
  void forget_failures_if_child_creation(const decision& d);

  /// While a recovery lists children, deletions are remembered, because a list
  /// may be older than a watch event.
  void begin_recovery_lists() { recovering_ = true; }
  void end_recovery_lists();

  /// Drops the restart counts of deleted pods once the saved status contains
  /// them (or if the job needs none).
  void forget_recorded_restarts(const job_status& saved);

private:
  friend struct exploration::state_reader;
  struct apply_done;
  struct apply_failed;

  memory_change record_child(child_kind kind, const k8s::object& child,
                             const child_claims& claims,
                             std::uint64_t list_number,
                             std::uint64_t listed_at_version,
                             const job_status& saved,
                             bool found_by_name = false);
  /// The same from the response to a call, unless the child was deleted
  /// meanwhile.
  memory_change record_response_child_unless_deleted(
      child_kind kind, const k8s::object_ptr& child, const job_status& saved);
  bool is_replica_restart_order(const decision& d,
                                const job_status& status) const;
  /// nullptr: its reports are not taken.
  const child_view* find_reporting_pod(const std::string& pod_uid) const;
  memory_change record_report_of(const child_view& pod, progress_status report,
                                 time_point now);
  /// Whether exactly this version is cached, not a later one from a watch.
  bool is_cached_version(child_kind kind, const k8s::object_meta& child) const;
  void forget_deleted_uids_if_idle();
  void forget_nodes_of_no_pod();

  job_ptr job_;
  observed_children seen_;
  core::expectations expectations_;
  /// Of creations that ended last with the answer that an object of ours has
  /// the name: that object. Cleared when the job is set.
  std::map<creation_key, uid_key> found_objects_;
  /// In flight, by number.
  std::map<std::uint64_t, shared_value<decision>> orders_;
  std::uint64_t next_order_ = 1;
  std::set<std::uint64_t> restarts_; ///< Orders that restart a replica.
  bool recovering_ = false;
  /// UIDs of children that were deleted while orders or recovery lists were in
  /// flight; a late response must not add them again.
  std::set<std::string> deleted_uids_;
};

} // namespace troupe::core
