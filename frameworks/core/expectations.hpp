#pragma once

#include "frameworks/core/observed.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::core {

/// What was asked for and has not been seen yet. Names are deterministic, so
/// creations are expected by slot and changes by UID; a pass decides nothing
/// about a slot or an object that is still open. A value; time is passed in.
///
/// Invariants: an expectation is raised before the order leaves; it ends by
/// being met, cancelled or failed. Every order ends in a report and whoever
/// loses an order loses its memory too, so no expectation outlives its order
/// and none has to expire.
class expectations {
public:
  /// What is expected to be done to an object that exists.
  enum class operation : std::uint8_t {
    update,
    annotate,
    read,
    remove,
    adopt,
    release
  };

  void expect_creation(child_kind kind, const slot& at, time_point now);
  void expect_operation(child_kind kind, const std::string& uid,
                        operation action, time_point now);

  void creation_met(child_kind kind, const slot& at);
  void operation_met(child_kind kind, const std::string& uid);

  /// The order never left, or certainly had no effect.
  void cancel_creation(child_kind kind, const slot& at);

  /// The order failed: not before `until` again. Counts the failures in a row.
  void creation_failed(child_kind kind, const slot& at, time_point until);
  void operation_failed(child_kind kind, const std::string& uid,
                        time_point until);
  int creation_failures(child_kind kind, const slot& at) const;
  int operation_failures(child_kind kind, const std::string& uid) const;

  /// Whether nothing may be decided about it now.
  bool creation_pending(child_kind kind, const slot& at, time_point now) const;
  bool operation_pending(child_kind kind, const std::string& uid,
                         time_point now) const;

  /// The next time at which an answer above changes by itself.
  std::optional<time_point> next_retry_at(time_point now) const;

  /// For people: one row for each, oldest first.
  struct row {
    child_kind kind = child_kind::pod;
    std::optional<operation> action; ///< nullopt: its creation.
    std::string subject;             ///< "worker-3" or the UID.
    time_point since{};
    std::optional<time_point> held_until; ///< After a refusal.
    int attempts = 0;
  };
  std::vector<row> rows() const;

private:
  struct entry {
    operation action = operation::remove; ///< Not of creations.
    time_point since{};
    std::optional<time_point> held_until;
    int attempts = 0;
  };
  std::map<std::pair<child_kind, slot>, entry> creations_;
  std::map<std::pair<child_kind, std::string>, entry> changes_;
};

/// "update", "delete", as verbs of the API; "adopt", "release".
const char* to_string(expectations::operation c);

} // namespace troupe::core
