#pragma once

#include "frameworks/core/base/shared_value.hpp"
#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::core {

/// One condition of a Workload of Kueue's.
struct workload_condition {
  bool is_true = false;
  std::string reason;
  std::string message; ///< At most 1 KiB.
  k8s::time_point since{};

  bool operator==(const workload_condition& other) const {
    return is_true == other.is_true && reason == other.reason
           && message == other.message && since == other.since;
  }
};

/// A condition that may not be there. It takes no more than a pointer then: of
/// the six of a Workload, one that waits has one.
class optional_condition {
public:
  optional_condition() = default;
  optional_condition(workload_condition c)
      : value_(std::optional{std::move(c)}) {}

  explicit operator bool() const { return value_->has_value(); }
  const workload_condition* operator->() const { return &**value_; }

  friend bool operator==(const optional_condition& a,
                         const optional_condition& b) {
    return a.value_ == b.value_;
  }

private:
  shared_value<std::optional<workload_condition>> value_;
};

/// So many pods of one pod set (the replica type, as labels spell it).
struct pod_set_count {
  std::string name;
  std::int32_t count = 0;
  /// Of what is asked for: the least that may be granted.
  std::optional<std::int32_t> least = {};

  bool operator==(const pod_set_count& other) const {
    return name == other.name && count == other.count && least == other.least;
  }
};

/// What is known of the Workload of a job: what it asks for, and what Kueue has
/// decided about it.
struct workload_state {
  using condition = optional_condition;
  condition quota_reserved;
  condition admitted;
  condition evicted;
  condition requeued;
  condition pods_ready;
  condition finished;

  bool active = true;
  bool keeps_quota = false; ///< It has the finalizer that its owner takes off.
  /// Its templates have what an admission wrote: they are not as their owner
  /// wrote them.
  bool has_admitted_templates = false;
  std::string queue;                   ///< The LocalQueue.
  std::string cluster_queue;           ///< "": nothing is granted.
  std::string own_class;               ///< Its WorkloadPriorityClass.
  std::vector<pod_set_count> asked;    ///< In the order of its pod sets.
  std::vector<pod_set_count> granted;  ///< By its admission.
  std::vector<pod_set_count> returned; ///< reclaimablePods.
  /// Of what the job asked for when we wrote it; "": Kueue has made it.
  std::string content_hash;
  /// The same of what its pods request; "": not known.
  std::string requests_hash;
  /// A message of an admission check that is not ready.
  std::string check_message;

  bool is(const condition& c) const { return c && c->is_true; }
  bool holds_quota() const { return is(quota_reserved) && !is(finished); }
  /// Whether its pods may run.
  bool lets_pods_run() const {
    return is(admitted) && holds_quota() && !is(evicted);
  }
};

/// What Kueue is told of the pods of an admitted job.
struct pods_report {
  bool ready = false;
  std::string ready_reason;
  std::vector<pod_set_count> returned; ///< Pods that need nothing any more.
};

bool operator==(const workload_state& a, const workload_state& b);

/// Reads a Workload; what is missing or of another type counts as not there.
workload_state read_workload_state(const k8s::full_state& object);

} // namespace troupe::core
