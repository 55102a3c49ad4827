#pragma once

#include "frameworks/core/base/shared_value.hpp"
#include "frameworks/core/base/uid_key.hpp"
#include "frameworks/core/model/auxiliary_content.hpp"
#include "frameworks/core/model/children.hpp"
#include "frameworks/core/model/job.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace troupe::core {

/// What one pod and one service fill: a replica type (as the label spells it)
/// and an index. A child whose labels name no slot has index -1.
struct slot {
  std::string type;
  std::int32_t index = -1;
};

inline bool operator<(const slot& a, const slot& b) {
  return std::tie(a.type, a.index) < std::tie(b.type, b.index);
}
inline bool operator==(const slot& a, const slot& b) {
  return std::tie(a.type, a.index) == std::tie(b.type, b.index);
}

/// "worker-1".
std::string to_string(const slot& at);

/// An event that is to be emitted on the job, or on one of its pods.
struct job_event {
  bool warning = false;
  std::string reason;
  std::string message;
  std::string pod = {}; ///< Its name; "": the event is on the job.
  std::string pod_uid = {};
};

/// What is known of the pods of kinds that make services from them, or take
/// requests from them.
struct pod_details {
  std::map<std::string, std::string> labels;
  std::vector<k8s::owner_reference> owners;
  std::vector<std::string> ips;
  /// The addresses are those of its node, which other pods have, too.
  bool on_host_network = false;
  std::vector<container_port> ports; ///< Of the default container.
  bool crash_looping = false;        ///< The default container.
};

bool operator==(const pod_details& a, const pod_details& b);

/// Why a child makes no progress; the texts are "" if it does, or if the reason
/// is unknown.
struct child_problem {
  std::string reason;
  std::string message;
  /// This many bytes at the beginning of the message only say which pod and
  /// container it is about: "Error pod job-worker-0 condition message: ".
  std::size_t preamble = 0;

  /// The rest of the message.
  std::string cause() const { return message.substr(preamble); }

  bool operator==(const child_problem& other) const {
    return reason == other.reason && message == other.message;
  }
};

/// A program that ends again and again shortly after its start; see
/// crash_loop.hpp. If `container` is "", pods are replaced instead of a
/// container restarted.
struct crash_loop {
  std::string container;  ///< "" if there is none.
  std::int32_t times = 0; ///< Of restarts; else of pods that failed in a row.
  std::optional<std::int32_t> exit_code; ///< Of the last end.
  std::string reason;                    ///< Of the last end, "OOMKilled".
  time_point next_try{};                 ///< 0: not known, or it runs.
  time_point running_since{};            ///< 0: it does not run.

  bool operator==(const crash_loop& other) const {
    return container == other.container && times == other.times
           && exit_code == other.exit_code && reason == other.reason
           && next_try == other.next_try
           && running_since == other.running_since;
  }
};

/// What is known of a pod that has failed, is being deleted, or whose node does
/// not report.
struct pod_trouble {
  /// A container that has ended, init containers too.
  struct ended_container {
    std::string name;
    std::int32_t exit_code = 0;
    std::string reason;
    std::string message; ///< At most 4 KiB.
  };

  std::string node;    ///< "": it had none.
  std::string reason;  ///< Of its status: "Evicted".
  std::string message; ///< Of its status; at most 4 KiB.
  /// Of a pod of a job with a failure policy.
  std::vector<ended_container> ended;
  /// Likewise.
  std::vector<k8s::pod_condition> conditions;
  /// Since when it is not ready because its node does not report; 0: its node
  /// reports.
  time_point node_silent_since{};

  /// Whether each rule of this policy was found in the messages; 0: not
  /// searched yet, else 1 or 2: no or yes. A search takes time, and passes ask
  /// again and again. Belongs to the one supervisor that has the pod.
  mutable std::shared_ptr<const failure_policy> searched_for = {};
  mutable std::vector<std::uint8_t> message_matches = {};
};

bool operator==(const pod_trouble& a, const pod_trouble& b);

/// A hash of the name of a PodGroup, not 0: names would take a text for each
/// pod.
inline std::uint32_t hash_of_group(const std::string& name) {
  return static_cast<std::uint32_t>(hash_of_text(name)) | 1U;
}

/// What a job needs to know of one child.
struct child_view {
  std::string name;
  uid_key uid;
  std::uint64_t version = 0;
  /// It existed at this version of the cluster.
  std::uint64_t existed_at_version = 0;
  /// The watcher's list that contained it last; 0: it is known only from the
  /// response to our own call.
  std::uint64_t list_number = 0;
  slot at;                       ///< Of a pod or service.
  bool owned = false;            ///< Our job is its controller; else an orphan.
  bool labels_match_job = false; ///< Its labels still name our job.
  bool terminating = false;
  bool delete_in_flight = false; ///< Our deletion has no result yet.
  bool delete_requested = false; ///< We requested its deletion.
  /// We did so without a grace period, and only its finalizers keep it.
  bool removed_at_once = false;
  /// A watch or a list has shown it, not only the response to our own call.
  bool confirmed = false;
  /// It is known, but lists and watches of its kind do not show it, because
  /// they select by a label that it lacks.
  bool unselected = false;

  // Pods only.
  k8s::pod_phase phase = k8s::pod_phase::pending;
  bool scheduled = false;
  bool ready = false; ///< pod_rules::ready_condition; if the kind counts them.
  bool evicted = false;
  bool disrupted = false; ///< Condition DisruptionTarget: the cluster ends it.
  bool failed_early = false; ///< By itself, within seconds of its start.
  bool refused = false;      ///< It failed because its node did not take it.
  /// It failed because of an init container that the kind of job had added, not
  /// the user.
  bool gave_up_waiting = false;
  /// It failed before its deletion was requested: not because of it.
  bool failed_before_deletion = false;
  bool says_attempt = false;   ///< It has the label of an attempt.
  bool told_to_report = false; ///< It was told where to report how far it is.
  /// Sum over app containers and the init containers of the user's template.
  std::int32_t restarts = 0;
  /// The attempt of the job that it is part of, by its label; 0 without one. Of
  /// launcher Jobs, too.
  std::int32_t attempt = 0;
  /// hash_of_group() of Kubernetes' PodGroup that it names, or of "" if it
  /// names none; 0: its spec was not seen yet.
  std::uint32_t scheduling_group = 0;
  time_point created{};
  time_point started{}; ///< status.startTime, set by the kubelet; 0: not yet.
  std::optional<std::int32_t> exit_code; ///< Of the default container.
  /// When its grace period ends, as the server says; 0: it is not being
  /// deleted.
  time_point leaves_by{};
  time_point ended{}; ///< If it has failed: when, as the server says.
  /// Consecutive pods of the same replica before it that failed early.
  std::int32_t early_failures = 0;
  std::int32_t early_failures_saved = 0; ///< According to its annotation.

  shared_value<std::string> status_reason; ///< Such as "Evicted", or "".
  /// The pod that owns it beside the job, or ""; known even when that pod is
  /// gone.
  shared_value<std::string> owner_pod;
  std::shared_ptr<const pod_details> details; ///< nullptr: of other kinds.
  /// nullptr: it has none.
  std::shared_ptr<const pod_trouble> trouble;

  /// Of a pod that a batch/v1 Job has made: that Job's UID. Such a pod is not
  /// `owned`; it is the job's if that Job is.
  uid_key made_by_job;
  /// Launcher Jobs only.
  std::shared_ptr<const k8s::batch_job_state> batch_job;
  shared_value<auxiliary_content> content; ///< Auxiliary objects only.
  /// Pod groups only: why it is not admitted, as the gang reason query found;
  /// of Kubernetes' own, as it was told.
  shared_value<child_problem> not_admitted;
  shared_value<child_problem> problem; ///< Why it makes no progress.
  /// Of its containers; 0 times if there is none. Ask find_crash_loop().
  shared_value<crash_loop> container_loop;

  /// JSON text of an auxiliary object without its metadata, if it is kept: as
  /// it is of pod groups.
  const std::string& body() const { return content->texts->body; }

  /// Whether the content is that of the latest version.
  bool is_content_current() const { return content->version == version; }

  /// Whether it is a pod that failed, but not because of its deletion or a
  /// disruption, and not before its own containers could start.
  bool failed_by_itself() const {
    return phase == k8s::pod_phase::failed && !terminating && !is_excused();
  }

  /// Whether its failure, if it has failed, is not the fault of the program.
  bool is_excused() const { return disrupted || gave_up_waiting; }

  /// Terminating, or about to be.
  bool is_leaving() const { return terminating || delete_in_flight; }

  bool is_finished() const {
    return phase == k8s::pod_phase::succeeded
           || phase == k8s::pod_phase::failed;
  }
};

/// The order of a set in which a child is found by its UID.
struct ordered_by_uid {
  using is_transparent = void;

  bool operator()(const child_view& a, const child_view& b) const {
    return a.uid < b.uid;
  }
  bool operator()(const child_view& a, const uid_key& uid) const {
    return a.uid < uid;
  }
  bool operator()(const uid_key& uid, const child_view& b) const {
    return uid < b.uid;
  }
};

/// A pod that fails by itself within this time of its start has failed early.
inline constexpr std::chrono::seconds early_failure_limit{10};

} // namespace troupe::core
