#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::actors {

/// The bytes of a stream between the API client's threads and the actor that
/// reads them. While more than `most_backlog` waits, the rest stays on the
/// server. Thread-safe.
class log_pipe {
public:
  static constexpr std::size_t most_backlog = 64u << 10;
  static constexpr std::chrono::milliseconds full_pause{100};

  /// Whether the reader has to be told: it was told of nothing since it took
  /// all.
  bool put(std::string_view bytes) {
    std::lock_guard guard{lock_};
    bytes_ += bytes;
    return !std::exchange(told_, true);
  }

  /// For the one who puts.
  std::chrono::milliseconds wanted_pause() const {
    std::lock_guard guard{lock_};
    return bytes_.size() > most_backlog ? full_pause
                                        : std::chrono::milliseconds::zero();
  }

  std::string take_all() {
    std::lock_guard guard{lock_};
    told_ = false;
    return std::exchange(bytes_, {});
  }

private:
  mutable std::mutex lock_;
  std::string bytes_;
  bool told_ = false;
};

} // namespace troupe::actors
