#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>

namespace troupe::actors {

/// Who of many has one of a few places; the others wait in their order. A
/// value.
class log_places {
public:
  explicit log_places(std::size_t most)
      : most_(most) {}

  /// Returns whether there was a place; if not, it waits.
  bool enter(std::uint64_t who) {
    if (has_place(who))
      return true;
    bool waits = std::find(queue_.begin(), queue_.end(), who) != queue_.end();
    if (!waits && inside_.size() < most_)
      return inside_.insert(who).second;
    if (!waits)
      queue_.push_back(who);
    return false;
  }

  /// Returns who has its place now.
  std::optional<std::uint64_t> leave(std::uint64_t who) {
    queue_.erase(std::remove(queue_.begin(), queue_.end(), who), queue_.end());
    if (inside_.erase(who) == 0 || queue_.empty())
      return std::nullopt;
    auto next = queue_.front();
    queue_.pop_front();
    inside_.insert(next);
    return next;
  }

  bool has_place(std::uint64_t who) const { return inside_.count(who) > 0; }
  std::size_t most() const { return most_; }
  std::size_t taken() const { return inside_.size(); }
  std::size_t waiting() const { return queue_.size(); }

private:
  std::size_t most_;
  std::set<std::uint64_t> inside_;
  std::deque<std::uint64_t> queue_;
};

} // namespace troupe::actors
