#include "k8s/rest/answer_batch.hpp"

#include <chrono>
#include <utility>

namespace troupe::k8s::rest {

namespace {

/// So the server has most of the calls at any time.
constexpr std::size_t calls_for_each_waiting = 4;
constexpr std::chrono::milliseconds longest_wait{2};

} // namespace

void answer_batch::add_or_hand_over_all(std::function<void()> hand_over,
                                        std::size_t calls_in_flight) {
  std::unique_lock lock{mutex_};
  waiting_.push_back(std::move(hand_over));
  if (waiting_.size() * calls_for_each_waiting >= calls_in_flight) {
    lock.unlock();
    hand_over_all();
    return;
  }
  if (std::exchange(timer_is_set_, true))
    return;
  timer_.expires_after(longest_wait);
  timer_.async_wait([self = shared_from_this()](boost::system::error_code) {
    {
      std::lock_guard guard{self->mutex_};
      self->timer_is_set_ = false;
    }
    self->hand_over_all();
  });
}

void answer_batch::hand_over_all() {
  std::unique_lock lock{mutex_};
  auto all = std::exchange(waiting_, {});
  lock.unlock();
  for (const auto& hand_over : all)
    hand_over();
}

} // namespace troupe::k8s::rest
