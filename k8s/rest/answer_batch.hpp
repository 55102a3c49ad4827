#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace troupe::k8s::rest {

/// Hands answers over to their callers, several at a time while many calls are
/// in flight. Otherwise each answer would wake a thread that soon sleeps again,
/// with cold caches. Thread-safe; owned by a shared_ptr.
class answer_batch : public std::enable_shared_from_this<answer_batch> {
public:
  explicit answer_batch(boost::asio::io_context& io)
      : timer_(io) {}

  /// Calls `hand_over`: at once, with all that wait, if together they are a
  /// fourth of `calls_in_flight` (which include them); otherwise with a later
  /// one, or after two milliseconds on a thread of `io`.
  void add_or_hand_over_all(std::function<void()> hand_over,
                            std::size_t calls_in_flight);

private:
  void hand_over_all();

  std::mutex mutex_;
  std::vector<std::function<void()>> waiting_;
  bool timer_is_set_ = false;
  boost::asio::steady_timer timer_;
};

} // namespace troupe::k8s::rest
