#pragma once

#include "frameworks/core/decision.hpp"
#include "frameworks/core/expectations.hpp"
#include "frameworks/core/observed.hpp"
#include "frameworks/core/status.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe::core {

/// What the metrics count of the reports on orders.
enum class order_outcome : std::uint8_t {
  pod_created,
  pod_deleted,
  replica_restarted,
  service_created,
  service_refused,
};

/// What follows from a fact or a report that memory has taken in.
struct memory_change {
  bool must_reconcile = false;         ///< A pass could decide differently now.
  std::vector<job_event> events;       ///< To be recorded.
  std::vector<order_outcome> outcomes; ///< To be counted.
};

/// All that is known of one job and its children: what was seen of them, what
/// was ordered and has not been reported yet, and what of that has not been
/// seen yet. Facts and reports may come in any order. A value; time and chance
/// are passed in.
class job_memory {
public:
  const job_ptr& job() const { return job_; } ///< nullptr: none was readable.
  const observed_children& seen() const { return seen_; }
  const core::expectations& expectations() const { return expectations_; }
  const std::map<std::uint64_t, decision>& orders_in_flight() const {
    return orders_;
  }

  void set_job(job_ptr j) { job_ = std::move(j); }

  // Facts. `saved` is the status that the API server holds.

  /// A watcher has seen a child, in or after its list of this number. Without a
  /// job there is nothing to judge it by, and it is dropped.
  memory_change record_child_seen(child_kind kind, const k8s::object& child,
                                  std::uint64_t list_number,
                                  const job_status& saved);
  /// An own list, read in full, has this child in it. One that is not the job's
  /// is ignored: lists of auxiliary objects contain those of others.
  memory_change record_child_listed(child_kind kind, const k8s::object& child,
                                    std::uint64_t list_version,
                                    const job_status& saved);
  memory_change record_child_deleted(child_kind kind, const std::string& uid);
  /// A watcher's list is complete; see observed::remove_unlisted.
  memory_change record_list_complete(child_kind kind, std::uint64_t list_number,
                                     std::uint64_t version);
  memory_change record_waiting_reason(child_kind kind, const std::string& uid,
                                      const std::string& reason,
                                      const std::string& message);

  // Orders.

  /// Raises the expectation and numbers the order. `status` is the job's, as
  /// decided.
  child_order start_order(const decision& d, const job_status& status,
                          time_point now);
  memory_change apply(const order_done& report, const job_status& saved,
                      const cluster_options& cluster);
  /// `jitter` in [0, 1).
  memory_change apply(const order_failed& report, const job_status& saved,
                      time_point now, double jitter);
  memory_change apply(const orders_cancelled& report);

  /// Between these, own lists may show children that are gone by now.
  void begin_recovery_lists() { recovering_ = true; }
  void end_recovery_lists();

  /// Drops the restart counts of pods that have vanished once the saved status
  /// has them (or none are kept).
  void forget_recorded_restarts(const job_status& saved);

private:
  struct apply_done;
  struct apply_failed;

  memory_change record_child(child_kind kind, const k8s::object& child,
                             std::uint64_t list_number,
                             std::uint64_t listed_at_version,
                             const job_status& saved);
  /// The same from the answer to a call, unless the child is gone by now.
  memory_change record_child_from_response(child_kind kind,
                                           const k8s::object_ptr& child,
                                           const job_status& saved);
  bool is_restart(const decision& d, const job_status& status) const;
  /// Whether memory has this version, and not a later one from a watch.
  bool is_latest(child_kind kind, const k8s::object_meta& child) const;
  void forget_gone_children();

  job_ptr job_;
  observed_children seen_;
  core::expectations expectations_;
  std::map<std::uint64_t, decision> orders_; ///< Under way, by number.
  std::uint64_t next_order_ = 1;
  std::set<std::uint64_t> restarts_; ///< Orders that restart a replica.
  bool recovering_ = false;
  /// UIDs of children that went while orders or lists were under way: a late
  /// answer may still show them, and they are not taken in again.
  std::set<std::string> deleted_uids_;
};

} // namespace troupe::core
