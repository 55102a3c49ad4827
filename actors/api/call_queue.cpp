#include "actors/api/call_queue.hpp"

namespace troupe::actors {

void call_queue::push(api_call c) {
  auto& mine = by_key_[c.key];
  if (mine.empty())
    turns_.push_back(c.key);
  mine.push_back(std::move(c));
  ++size_;
}

void call_queue::push_front(api_call c) {
  auto& mine = by_key_[c.key];
  if (mine.empty())
    turns_.push_front(c.key);
  mine.push_front(std::move(c));
  ++size_;
}

api_call call_queue::pop_call_of_next_key() {
  auto key = std::move(turns_.front());
  turns_.pop_front();
  auto i = by_key_.find(key);
  auto result = std::move(i->second.front());
  i->second.pop_front();
  if (i->second.empty())
    by_key_.erase(i);
  else
    turns_.push_back(std::move(key));
  --size_;
  return result;
}

} // namespace troupe::actors
