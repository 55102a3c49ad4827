#pragma once

#include "frameworks/core/base/shared_value.hpp"
#include "frameworks/core/model/decision.hpp"
#include "frameworks/core/model/next_move.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::exploration {
struct state_reader;
} // namespace troupe::exploration

namespace troupe::core {

/// Identifies a child that does not exist yet: the slot that it fills, or the
/// name of an auxiliary object.
struct creation_key {
  child_kind kind = child_kind::pod;
  slot at;          ///< Of a pod or service.
  std::string name; ///< Of an auxiliary object, or create_child::name.

  creation_key(child_kind k, const slot& s)
      : kind(k)
      , at(s) {}
  creation_key(child_kind k, const std::string& n)
      : kind(k)
      , name(n) {}
  explicit creation_key(const auxiliary_object& o)
      : creation_key(o.kind, o.name) {}
  explicit creation_key(const create_child& c)
      : kind(c.kind)
      , at(c.at)
      , name(c.name) {}
  explicit creation_key(const create_auxiliary& c)
      : creation_key(*c.wanted) {}
};

bool operator<(const creation_key& a, const creation_key& b);

/// Operations in flight or in back-off, like client-go's
/// ControllerExpectations, but by slot, name or UID instead of counts. While a
/// slot or an object is blocked, plan() decides nothing for it. A value; time
/// is an argument.
///
/// An expectation starts before its order is sent, and ends when the order is
/// done or cancelled. A failed one remains until the operation succeeds, to
/// count failures. No timeout is needed: every order has a result, and a
/// supervisor that loses one is replaced by one with an empty memory.
class expectations {
public:
  /// `attempt`: of the pod that is created.
  void expect_creation(const creation_key& key, time_point now,
                       std::int32_t attempt = 0);
  void expect_operation(child_kind kind, const std::string& uid,
                        operation action, time_point now);

  /// The operation succeeded, or nobody will try it again: forgets it and its
  /// failures.
  void forget_creation(const creation_key& key);
  void forget_operation(child_kind kind, const std::string& uid);

  /// The order was not sent, or certainly had no effect: it may be tried again
  /// at once. Earlier failures remain counted.
  void end_creation_expectation(const creation_key& key);

  /// The order failed because of `why`: the creation is blocked until `until`.
  /// Counts consecutive failures. `whose_move`: who removes the cause, if no
  /// person has to.
  void
  block_creation_after_failure(const creation_key& key, time_point until,
                               const k8s::failure& why = {},
                               const std::optional<next_move>& whose_move = {});
  /// The same, until `delay` after the order was sent.
  void block_creation_since_order(const creation_key& key,
                                  std::chrono::milliseconds delay,
                                  const k8s::failure& why);
  void block_operation_after_failure(child_kind kind, const std::string& uid,
                                     time_point until,
                                     const k8s::failure& why = {});
  int consecutive_creation_failures(const creation_key& key) const;
  /// The creations of this kind that failed last because another object has the
  /// name.
  std::vector<creation_key> creations_of_taken_names(child_kind kind) const;
  /// The object that has the name of these creations was seen to be gone. Notes
  /// that for the creations in flight, because their answers may be older.
  void note_name_freed(
      child_kind kind,
      const std::function<bool(const creation_key& key)>& has_that_name);
  /// Whether note_name_freed() has noted that since the order was sent.
  bool was_name_freed(const creation_key& key) const;
  /// The cause of its failures is gone: forgets them. Returns whether it was
  /// waiting to be tried again; a creation in flight remains blocked.
  bool forget_failures_and_end_back_off(const creation_key& key);
  int consecutive_operation_failures(child_kind kind,
                                     const std::string& uid) const;

  /// Whether it is blocked: an order is in flight, or the back-off has not
  /// ended.
  bool is_creation_blocked(const creation_key& key, time_point now) const;
  bool is_child_operation_blocked(child_kind kind, const std::string& uid,
                                  time_point now) const;

  /// Creations in flight, and those that have failed and not succeeded since.
  std::size_t creation_count() const { return creations_.size(); }
  bool has_creation(const creation_key& key) const {
    return creations_.count(key) > 0;
  }
  /// Whether a pod of this replica type ("": of any) is being created that is
  /// part of an attempt before this one.
  bool is_creating_older_pod(const std::string& type,
                             std::int32_t attempt) const;
  /// Whether one of them is in flight, not in back-off.
  bool has_creation_in_flight() const;
  /// Whether one of them may be tried again now.
  bool has_unblocked_creation(time_point now) const;

  /// Forgets the failed creations that nobody will try again.
  void forget_failed_creations_where(
      const std::function<bool(const creation_key& key)>& is_obsolete);

  /// The expectations that block: orders in flight, or in a back-off that has
  /// not ended.
  struct blocking {
    std::size_t count = 0;
    std::optional<time_point> oldest; ///< When its order was sent.
  };
  blocking count_blocking_expectations(time_point now) const;

  /// When the next back-off ends.
  std::optional<time_point> next_retry_at(time_point now) const;

  /// One row for each expectation, oldest first: for the admin endpoint, and
  /// for why a job waits.
  struct row {
    child_kind kind = child_kind::pod;
    std::optional<operation> action; ///< nullopt: its creation.
    std::string subject;             ///< "worker-3", a name, or the UID.
    time_point since{};
    std::optional<time_point> retry_not_before; ///< After a failure.
    int attempts = 0;
    k8s::failure last_failure = {}; ///< If `attempts` > 0.
    /// Who removes the cause of the failure, if no person has to.
    std::optional<next_move> whose_move = {};
  };
  std::vector<row> report_rows() const;

private:
  friend struct exploration::state_reader;
  struct order_failure {
    k8s::failure why;
    std::optional<next_move> whose_move;
  };
  struct entry {
    operation action = operation::delete_object; ///< Unused for creations.
    bool name_freed = false;                     ///< Since it is in flight.
    time_point since{};
    std::optional<time_point> retry_not_before;
    int attempts = 0;
    std::int32_t pod_attempt = 0; ///< Of the pod that is created.
    shared_value<order_failure> last_failure = {};
  };
  std::map<creation_key, entry> creations_;
  std::map<std::pair<child_kind, std::string>, entry> operations_;
};

} // namespace troupe::core
