#pragma once

#include "actors/base/protocols.hpp"

#include <list>
#include <string>
#include <unordered_map>

namespace troupe::actors {

/// Calls that wait for their turn. Keys take turns, so a job of a thousand pods
/// does not delay a job of two. A value: no clock, no actor.
class call_queue {
public:
  void push(api_call c);
  void push_front(api_call c);
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// The first call of the key whose turn it is. Must not be called if empty().
  api_call pop_call_of_next_key();

private:
  // Lists: a deque takes half a kilobyte for the one call that most keys have.
  std::unordered_map<std::string, std::list<api_call>> by_key_;
  std::list<std::string> turns_; ///< Keys that have something waiting.
  std::size_t size_ = 0;
};

} // namespace troupe::actors
