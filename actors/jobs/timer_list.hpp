#pragma once

#include <caf/actor_clock.hpp>
#include <caf/fwd.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::actors {

/// The timers of many owners, one each. A value: the time is an argument.
class timer_list {
public:
  using time_point = caf::actor_clock::time_point;
  using owner_id = caf::actor_id;

  /// A timer that has come.
  struct due_timer {
    owner_id owner = 0;
    std::uint64_t timer = 0;
  };

  /// Takes the place of the owner's former timer.
  void set(owner_id owner, time_point due, std::uint64_t timer);
  void cancel(owner_id owner);
  /// Removes what is due, in the order of its time.
  std::vector<due_timer> take_due(time_point now);
  std::optional<time_point> next_due() const;
  std::size_t size() const { return by_owner_.size(); }

private:
  struct entry {
    time_point due;
    std::uint64_t timer = 0;
  };

  std::unordered_map<owner_id, entry> by_owner_;
  std::set<std::pair<time_point, owner_id>> by_time_;
};

} // namespace troupe::actors
