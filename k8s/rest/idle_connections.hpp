#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace troupe::k8s::rest {

/// The connections that nobody uses now. The one used last is used next, so
/// that those which only a burst of calls needed stay idle: of these most are
/// closed soon, because each takes some 15 KiB. A value; not thread-safe.
template <class Connection>
class idle_connections {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Servers close connections that are idle for longer.
  static constexpr std::chrono::seconds longest_idle{60};
  /// So many may be idle for so long.
  static constexpr std::size_t most_kept = 16;
  /// The others are closed after this time, as soon as any call begins or ends.
  static constexpr std::chrono::seconds excess_idle{15};

  /// The one that was used last; nullptr if there is none.
  std::shared_ptr<Connection> take(time_point now) {
    close_old(now);
    if (idle_.empty())
      return nullptr;
    auto taken = std::move(idle_.back().connection);
    idle_.pop_back();
    return taken;
  }

  void put(std::shared_ptr<Connection> used, time_point now) {
    idle_.push_back({std::move(used), now});
    close_old(now);
  }

  std::size_t size() const { return idle_.size(); }

private:
  struct entry {
    std::shared_ptr<Connection> connection;
    time_point since;
  };

  void close_old(time_point now) {
    auto kept = idle_.begin();
    auto left = idle_.size();
    for (; kept != idle_.end(); ++kept, --left) {
      auto longest = left > most_kept ? excess_idle : longest_idle;
      if (now - kept->since < longest)
        break;
    }
    idle_.erase(idle_.begin(), kept);
  }

  std::vector<entry> idle_; ///< In the order of their last use.
};

} // namespace troupe::k8s::rest
