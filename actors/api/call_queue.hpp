#pragma once

#include "actors/base/protocols.hpp"

#include <list>
#include <string>
#include <unordered_map>

namespace troupe::actors {

/// Calls waiting for their turn: keys take turns, so that a job of a thousand
/// pods does not hold up a job of two. No clock, no actor.
class call_queue {
public:
  void push(api_call c);
  void push_front(api_call c);
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  api_call pop();

private:
  // Lists: a deque takes half a kilobyte for the one call that most keys have.
  std::unordered_map<std::string, std::list<api_call>> by_key_;
  std::list<std::string> turns_; ///< Keys that have something waiting.
  std::size_t size_ = 0;
};

} // namespace troupe::actors
