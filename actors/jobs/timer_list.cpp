#include "actors/jobs/timer_list.hpp"

namespace troupe::actors {

void timer_list::set(owner_id owner, time_point due, std::uint64_t timer) {
  cancel(owner);
  by_owner_.emplace(owner, entry{due, timer});
  by_time_.emplace(due, owner);
}

void timer_list::cancel(owner_id owner) {
  auto i = by_owner_.find(owner);
  if (i == by_owner_.end())
    return;
  by_time_.erase({i->second.due, owner});
  by_owner_.erase(i);
}

std::vector<timer_list::due_timer> timer_list::take_due(time_point now) {
  std::vector<due_timer> due;
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    auto owner = by_time_.begin()->second;
    due.push_back({owner, by_owner_.at(owner).timer});
    cancel(owner);
  }
  return due;
}

std::optional<timer_list::time_point> timer_list::next_due() const {
  if (by_time_.empty())
    return std::nullopt;
  return by_time_.begin()->first;
}

} // namespace troupe::actors
