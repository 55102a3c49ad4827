#pragma once

#include <cstddef>
#include <mutex>

namespace troupe::k8s {

/// Of larger texts, in bytes, the threads of the process read one at a time.
inline constexpr std::size_t most_read_beside_others = 256u << 10;

/// For as long as a text of that size, and what was made of it, is needed: if
/// it is large, others that are wait. A parser takes a dozen times its text,
/// and a value up to fifty times, in each thread that reads one. A thread that
/// reads a large text may begin another one.
class large_text_turn {
public:
  explicit large_text_turn(std::size_t bytes) {
    if (bytes > most_read_beside_others)
      turn_ = std::unique_lock{one_at_a_time()};
  }

private:
  static std::recursive_mutex& one_at_a_time() {
    static std::recursive_mutex mutex;
    return mutex;
  }

  std::unique_lock<std::recursive_mutex> turn_;
};

} // namespace troupe::k8s
