#pragma once

#include <cstddef>
#include <mutex>

namespace troupe::k8s {

/// In bytes; larger texts are read one at a time.
inline constexpr std::size_t most_read_beside_others = 256u << 10;

/// For as long as a text of that size, and what was made of it, is needed: if
/// it is large, other threads that have a large one wait. A parser takes a
/// dozen times its text, and a value up to fifty times, in each thread that
/// reads one. A thread that reads a large text may begin another one.
///
/// For what serves one job, as there may be as many at once as there are
/// threads. Not for what serves all jobs, such as a watch, a gateway or the
/// webhooks: it is never many at once, and large jobs of one tenant would hold
/// up others'.
class large_text_turn {
public:
  explicit large_text_turn(std::size_t bytes) {
    if (bytes > most_read_beside_others)
      turn_ = std::unique_lock{one_at_a_time()};
  }

  large_text_turn(const large_text_turn&) = delete;
  large_text_turn& operator=(const large_text_turn&) = delete;

private:
  static std::recursive_mutex& one_at_a_time() {
    static std::recursive_mutex mutex;
    return mutex;
  }

  std::unique_lock<std::recursive_mutex> turn_;
};

} // namespace troupe::k8s
