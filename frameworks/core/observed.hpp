#pragma once

#include "frameworks/core/children.hpp"
#include "frameworks/core/job.hpp"

#include <cstdint>
#include <map>
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

/// Something worth an event on the job.
struct job_event {
  bool warning = false;
  std::string reason;
  std::string message;
};

/// What a job needs to know of one child.
struct child_view {
  std::string name;
  std::string uid;
  std::uint64_t version = 0;
  std::uint64_t existed_at_version =
      0; ///< It existed at this version of the cluster.
  std::uint64_t list_number =
      0;              ///< The watcher's list that confirmed it last; 0:
                      ///< known from the answer to our own call only.
  slot at;            ///< Of a pod or service.
  bool owned = false; ///< Our job is its controller; else an orphan.
  bool labels_match_job = false; ///< Its labels still name our job.
  bool terminating = false;
  bool delete_requested = false; ///< We asked for its deletion ourselves.
  bool confirmed = false; ///< A watch or a list has shown it, not only the
                          ///< answer to our own call.

  // Pods only.
  k8s::pod_phase phase = k8s::pod_phase::pending;
  bool scheduled = false;
  bool evicted = false;
  bool disrupted = false; ///< Condition DisruptionTarget: the cluster ends it.
  std::string status_reason; ///< "Evicted" for one; "" if there is none.
  std::optional<std::int32_t> exit_code; ///< Of the default container.
  std::int32_t restarts = 0;             ///< Sum over init and app containers.
  bool failed_early = false; ///< By itself, within seconds of its start.
  time_point ended{};        ///< If it has failed: when, by the server's word.
  std::int32_t early_failures = 0; ///< Pods of the same replica that failed
                                   ///< early before it, in a row.
  std::int32_t early_failures_saved = 0; ///< As its annotation says.

  // Auxiliary objects only.
  std::string body;     ///< JSON text: all of it but metadata.
  std::string metadata; ///< JSON text, of the same version as the body; "" if
                        ///< neither is known.
  std::string
      last_applied_content; ///< What we asked the server for, to get this body.
  std::uint64_t body_version = 0; ///< Of the object when it had this body; 0:
                                  ///< never seen.

  // Pod groups only.
  std::string not_admitted_reason; ///< Why it is not admitted, asked for by us;
                                   ///< "" if that is not known.
  std::string not_admitted_message;

  // All.
  std::string problem_reason; ///< Why it does not get on, "" if it does.
  std::string problem_message;

  /// Whether the body is that of the latest version.
  bool body_is_known() const { return body_version == version; }

  /// A pod that failed, and neither by its deletion nor by a disruption.
  bool failed_by_itself() const {
    return phase == k8s::pod_phase::failed && !terminating && !disrupted;
  }

  bool finished() const {
    return phase == k8s::pod_phase::succeeded
           || phase == k8s::pod_phase::failed;
  }
};

/// A pod that fails by itself within this time of its start has failed early.
inline constexpr std::chrono::seconds early_failure{10};

/// What one job has seen of its children. A value; the only cache there is.
/// Older news never overwrites newer (versions are compared).
class observed_children {
public:
  using children = std::map<std::string, child_view>; ///< By UID.

  /// Takes in an object of the job's, from a watcher (`list_number` > 0) or
  /// from the answer to our own call (0). Returns what is new enough to be told
  /// as an event, and sets `changed` if a pass could decide differently now.
  /// `existed_at_version`, if it came from a list of our own: that list's.
  std::vector<job_event> record_seen(child_kind kind, const k8s::object& o,
                                     const job& of, std::uint64_t list_number,
                                     bool& changed,
                                     std::uint64_t existed_at_version = 0);

  /// The child is gone. Returns whether it was known.
  bool record_deleted(child_kind kind, const std::string& uid);

  /// Our deletion was accepted, the last news is still to come.
  void mark_delete_accepted(child_kind kind, const std::string& uid);

  /// A complete list, `list_number`, taken at `version`, has been seen to
  /// its end: whatever it did not confirm, and is not younger, is gone.
  /// Returns whether anything went.
  bool remove_unlisted(child_kind kind, std::uint64_t list_number,
                       std::uint64_t version);

  /// What the server holds now is what it made of `body`.
  void record_body(child_kind kind, const std::string& uid,
                   const std::string& body);

  /// The pod group is not admitted, and this is why. Returns what is to be told
  /// of it, if that is new.
  std::vector<job_event> record_waiting_reason(child_kind kind,
                                               const std::string& uid,
                                               const std::string& reason,
                                               const std::string& message);

  const children& of(child_kind kind) const { return known_[index_of(kind)]; }
  const children& pods() const { return of(child_kind::pod); }
  const children& services() const { return of(child_kind::service); }

  /// Restart counts of pods that vanished without being replaced by us, to be
  /// carried into the status (see restarts.hpp).
  const std::vector<child_view>& vanished() const { return vanished_; }
  void forget_vanished() { vanished_.clear(); }

  /// How many pods in a row failed early in this slot, until the last one that
  /// is gone. Forgotten with the process: a pod that has to wait says so
  /// itself.
  std::int32_t early_failures(const slot& at) const {
    auto i = early_failures_.find(at);
    return i == early_failures_.end() ? 0 : i->second;
  }

private:
  void remember_failure(const child_view& gone);

  children known_[child_kind_count];
  std::vector<child_view> vanished_;
  std::map<slot, std::int32_t> early_failures_;
  std::uint64_t latest_list_version_[child_kind_count] =
      {}; ///< The latest list's version.
};

} // namespace troupe::core
