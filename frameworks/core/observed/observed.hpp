#pragma once

#include "frameworks/core/model/child_view.hpp"
#include "frameworks/core/model/recovery_status.hpp"
#include "frameworks/core/observed/child_claims.hpp"
#include "frameworks/core/observed/gone_pods.hpp"
#include "frameworks/core/observed/known_nodes.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"
#include "frameworks/core/progress/progress_status.hpp"
#include "frameworks/core/progress/silence.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::exploration {
struct state_reader;
} // namespace troupe::exploration

namespace troupe::core {

/// What follows from a child that was recorded.
struct child_change {
  std::vector<job_event> events; ///< To be emitted.
  bool changed = false;          ///< plan() could decide differently now.
};

/// The cache of one job's children, and the only one. A value. An older version
/// never overwrites a newer one (resourceVersions are compared).
class observed_children {
public:
  using children = std::set<child_view, ordered_by_uid>;

  /// Records an object of the job, from a watcher (`list_number` > 0) or from
  /// the response to our own call (0). `existed_at_version`, if it came from a
  /// list of the recovery: that list's version. `found_by_name`: it is the
  /// answer to a read of its name, because no watch has shown it.
  child_change record_seen(child_kind kind, const k8s::object& o,
                           const child_claims& stated, const job& of,
                           std::uint64_t list_number,
                           std::uint64_t existed_at_version = 0,
                           bool found_by_name = false);

  /// The child was deleted, or another controller owns it now. Returns whether
  /// it was known.
  bool record_deleted(child_kind kind, const std::string& uid);

  /// Our deletion was sent, or has failed.
  void set_delete_in_flight(child_kind kind, const std::string& uid,
                            bool in_flight);

  /// Our deletion was accepted; the watch has not reported it yet.
  void mark_delete_accepted(child_kind kind, const std::string& uid,
                            bool at_once = false);

  /// All pages of list `list_number`, taken at `version`, were recorded: drops
  /// the children that were not in it and are not known to have existed after
  /// `version`. Returns whether any was dropped.
  bool forget_unlisted(child_kind kind, std::uint64_t list_number,
                       std::uint64_t version);

  /// What is on the server now is what it stored for `wanted`.
  void record_applied_content(const auxiliary_object& wanted, const job& of,
                              const std::string& uid);

  /// The reason why the pod group is not admitted. Returns the event to emit if
  /// the reason is new.
  std::vector<job_event> record_not_admitted_reason(child_kind kind,
                                                    const std::string& uid,
                                                    const std::string& reason,
                                                    const std::string& message);

  const children& children_of_kind(child_kind kind) const {
    static const children none;
    for (const auto& one : kinds_)
      if (one.kind == kind)
        return one.known;
    return none;
  }
  /// Whether an object of this kind that the job owns was ever recorded here,
  /// also if it is gone.
  bool has_ever_had(child_kind kind) const;
  /// Objects of this kind were looked up by name since this memory began, and
  /// there was none of the job's.
  void note_looked_up_in_vain(child_kind kind);
  bool was_looked_up_in_vain(child_kind kind) const;

  /// What a pod has told last of how far the job is.
  const shared_value<progress_status>& reported() const { return reported_; }
  void record_report(progress_status report) { reported_ = std::move(report); }

  /// The pod whose log is read for the rules of the job; "": none can be.
  const uid_key& pod_of_read_log() const { return pod_of_read_log_; }
  void record_read_log(uid_key pod) { pod_of_read_log_ = pod; }

  /// Since when it tells nothing, as the last pass has found.
  const shared_value<silence_clock>& silence() const { return silence_; }
  void record_silence(shared_value<silence_clock> c) {
    silence_ = std::move(c);
  }

  /// The nodes that were read because of its pods.
  const known_nodes& nodes() const { return nodes_; }
  known_nodes& nodes() { return nodes_; }

  const children& pods() const { return children_of_kind(child_kind::pod); }
  const children& services() const {
    return children_of_kind(child_kind::service);
  }

  /// What remains of its pods that are gone.
  const gone_pods& gone() const { return gone_; }
  gone_pods& gone() { return gone_; }
  /// Whether pods that are lost are kept in `gone`. `launcher_type`: the type
  /// whose pods a launcher Job makes, or "".
  void set_keeps_lost_pods(bool keeps, std::string launcher_type = {}) {
    gone_.set_keeps_lost(keeps);
    launchers_.set_type(std::move(launcher_type));
  }
  /// Forgets the lost pods, and a launcher Job that somebody else removed.
  void forget_lost_pods() {
    gone_.forget_lost();
    launchers_.forget_removed();
  }
  /// Forgets the lost pods of attempts that are over, and those that have been
  /// replaced.
  void forget_settled_lost_pods(const job& of, const recovery_status& saved);

  /// The launcher Jobs that it has, or had.
  const launcher_jobs& launchers() const { return launchers_; }

  /// Whether this process has not issued an order yet: whatever is missing is
  /// missing since before it began.
  bool has_issued_no_order() const { return has_issued_no_order_; }
  void note_order_issued() { has_issued_no_order_ = false; }

private:
  friend struct exploration::state_reader;
  bool forget_child(child_kind kind, const uid_key& uid);

  struct children_of_one_kind {
    child_kind kind;
    children known;
    std::uint64_t latest_list_version = 0; ///< Of its latest list.
    bool ever_owned = false;
    bool looked_up_in_vain = false;
  };

  /// Valid until the next call for another kind.
  children_of_one_kind& find_or_add_kind(child_kind kind);
  const children_of_one_kind* find_kind(child_kind kind) const;
  /// Everything except the UID may be changed; nullptr: not known.
  child_view* find_child(child_kind kind, const uid_key& uid);

  std::vector<children_of_one_kind> kinds_; ///< Those that it has.
  gone_pods gone_;
  launcher_jobs launchers_;
  bool has_issued_no_order_ = true;
  known_nodes nodes_;
  shared_value<progress_status> reported_;
  uid_key pod_of_read_log_;
  shared_value<silence_clock> silence_;
};

} // namespace troupe::core
