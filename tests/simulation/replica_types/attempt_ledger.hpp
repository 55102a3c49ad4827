#pragma once

#include "tests/simulation/replica_types/kind_rules.hpp"
#include "tests/simulation/silence_ledger.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::simulation {

/// The attempts of one job: what was saved of them, which pods belong to each,
/// and what each has lost. Says what is wrong with a restart, or with a pod.
class attempt_ledger {
public:
  /// Whether this is true of some manifest that the writer may know.
  using some_manifest =
      std::function<bool(const std::function<bool(const manifest&)>&)>;

  attempt_ledger(const kind_rules& rules, some_manifest some)
      : rules_(rules)
      , some_(std::move(some)) {}

  const saved_attempts& saved() const { return saved_; }

  // -- what happened; each returns what is wrong with it, or "" ---------------
  /// The job is new.
  void begin();
  /// `late`: maybe by a process that has ended; others do not know of it.
  std::string job_changed(const json& job, bool late);
  /// A pod of ours was made. `late`: by a process that has ended.
  std::string pod_made(const json& pod, bool late);
  /// A pod of ours that was not ours when it was made, or was not always.
  void pod_strayed(const json& pod);
  /// The operator deletes it.
  void pod_removed(const json& pod) {
    removed_[uid_of(pod)] = {label(pod, "replica-type"), attempt_of(pod)};
  }
  /// It cannot tell who has removed a pod before.
  void operator_started(long long now);
  /// A report was taken, or a pod has begun to run.
  void sign_of_life(long long then) { silence_.sign_of_life(then); }
  void pod_changed(const json& pod, const replica& r);
  void pod_gone(const json& pod, const replica& r);

  // -- what may be ------------------------------------------------------------
  /// Whether a restart that is saved has ended this attempt of the type.
  bool is_over(const replica& r) const { return r.attempt < saved_.of(r.type); }
  /// What is wrong with this pod that is to be made, by the process that knows
  /// all of it; or "".
  std::string check_creation(const replica& at_place, long long now) const;
  /// Whether there was a failure that may have been one too many.
  bool has_failure_to_restart_for() const;
  /// What is wrong with the message of a job that has failed at that time
  /// because of its restarts; or "".
  std::string check_budget_message(const std::string& message,
                                   long long then) const;
  /// What is wrong with saying that the job was silent at that time, which asks
  /// for this ("": for anything); or "". `late`: by a process that has ended.
  std::string check_silence(long long then, bool late,
                            const std::string& action = "") const;

private:
  using place = std::pair<std::string, int>; ///< Type and attempt.

  bool is_next_attempt(const saved_attempts& next) const;
  void note_restarts(const saved_attempts& next);
  std::string check_restart(const saved_attempts& next, bool late) const;
  std::string check_times(const saved_attempts& next) const;
  bool is_within_budget(const manifest& m, const saved_attempts& next) const;
  bool has_failed_by_itself(const saved_attempts& next) const;
  bool asks_for_restart(const replica& failed) const;
  bool has_lost_by_others() const;
  /// Whether a restart has ended the attempt of the one before the other was
  /// made.
  bool may_not_meet(const place& a, const place& b) const;

  const kind_rules& rules_;
  some_manifest some_;
  saved_attempts saved_;
  /// By a process that had ended, since the present one began, which may not
  /// know of it.
  std::set<std::pair<std::string, int>> completed_late_;
  /// The types of each restart, by attempt; empty: all.
  std::map<int, std::set<std::string>> restarted_;
  std::map<std::string, place> present_; ///< Our pods, by UID.
  std::set<std::string> strays_;
  std::map<std::string, place> removed_; ///< By this process, by UID.
  std::map<place, std::map<std::string, replica>> failed_; ///< By UID.
  std::set<place> lost_; ///< Of which one was lost by others.
  silence_ledger silence_;
};

} // namespace troupe::simulation
