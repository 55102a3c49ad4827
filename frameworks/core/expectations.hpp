#pragma once

#include "frameworks/core/decision.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::core {

/// What a child that does not exist yet is known by: the slot that it fills, or
/// the name of an auxiliary object.
struct creation_key {
  child_kind kind = child_kind::pod;
  slot at;          ///< Of a pod or service.
  std::string name; ///< Of an auxiliary object.

  creation_key(child_kind k, const slot& s)
      : kind(k)
      , at(s) {}
  creation_key(child_kind k, const std::string& n)
      : kind(k)
      , name(n) {}
  explicit creation_key(const auxiliary_object& o)
      : creation_key(o.kind, o.name) {}
  explicit creation_key(const create_child& c)
      : creation_key(c.kind, c.at) {}
  explicit creation_key(const create_auxiliary& c)
      : creation_key(c.wanted) {}
};

bool operator<(const creation_key& a, const creation_key& b);

/// What was asked for and has not been seen yet. Names are deterministic, so
/// creations are expected by slot or name and changes by UID; a pass decides
/// nothing about a slot or an object that is still open. A value; time is
/// passed in.
///
/// Invariants: an expectation is raised before the order leaves; it ends by
/// being met, cancelled or failed. Every order ends in a report and whoever
/// loses an order loses its memory too, so none has to expire. After a failure
/// it stays as the record of the back-off.
class expectations {
public:
  void expect_creation(const creation_key& key, time_point now);
  void expect_operation(child_kind kind, const std::string& uid,
                        operation action, time_point now);

  void creation_met(const creation_key& key);
  void operation_met(child_kind kind, const std::string& uid);

  /// The order never left, or certainly had no effect.
  void cancel_creation(const creation_key& key);

  /// The order failed: not before `until` again. Counts the failures in a row.
  void creation_failed(const creation_key& key, time_point until);
  void operation_failed(child_kind kind, const std::string& uid,
                        time_point until);
  int creation_failures(const creation_key& key) const;
  int operation_failures(child_kind kind, const std::string& uid) const;

  /// Whether nothing may be decided about it now.
  bool creation_blocked(const creation_key& key, time_point now) const;
  bool operation_blocked(child_kind kind, const std::string& uid,
                         time_point now) const;

  /// The next time at which an answer above changes by itself.
  std::optional<time_point> next_retry_at(time_point now) const;

  /// For people: one row for each, oldest first.
  struct row {
    child_kind kind = child_kind::pod;
    std::optional<operation> action; ///< nullopt: its creation.
    std::string subject;             ///< "worker-3", a name, or the UID.
    time_point since{};
    std::optional<time_point> retry_not_before; ///< After a refusal.
    int attempts = 0;
  };
  std::vector<row> rows() const;

private:
  struct entry {
    operation action = operation::delete_object; ///< Not of creations.
    time_point since{};
    std::optional<time_point> retry_not_before;
    int attempts = 0;
  };
  std::map<creation_key, entry> creations_;
  std::map<std::pair<child_kind, std::string>, entry> operations_;
};

} // namespace troupe::core
