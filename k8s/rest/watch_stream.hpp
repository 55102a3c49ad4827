#pragma once

#include "k8s/api.hpp"

#include <mutex>
#include <string_view>
#include <utility>

namespace troupe::k8s::rest {

/// A watch's session and its connection share this: it passes bytes on until
/// either ends. Thread-safe.
class watch_stream {
public:
  explicit watch_stream(watch_sink sink)
      : pauses_(sink.pause != nullptr)
      , sink_(std::move(sink)) {}

  /// Whether the reader may ask for pauses.
  bool has_pauses() const { return pauses_; }

  /// The server has accepted the watch.
  void report_opened() {
    std::lock_guard guard{mutex_};
    if (!closed_ && sink_.opened)
      call_sink([&] { sink_.opened(); });
  }

  void receive_bytes(std::string_view piece) {
    std::lock_guard guard{mutex_};
    if (!closed_)
      call_sink([&] { sink_.bytes(piece); });
  }

  /// How long the reader wants to receive nothing.
  std::chrono::milliseconds wanted_pause() {
    std::lock_guard guard{mutex_};
    auto wait = std::chrono::milliseconds::zero();
    if (!closed_ && sink_.pause)
      call_sink([&] { wait = sink_.pause(); });
    return wait;
  }

  void finish(result<nothing> how) {
    std::lock_guard guard{mutex_};
    if (!std::exchange(closed_, true))
      call_sink([&] { sink_.ended(std::move(how)); });
    release_callbacks();
  }

  /// After this no callback is called.
  void close() {
    std::lock_guard guard{mutex_};
    closed_ = true;
    release_callbacks();
  }

private:
  template <class F>
  void call_sink(F f) {
    ++inside_;
    f();
    --inside_;
    if (closed_)
      release_callbacks();
  }

  /// Callbacks may hold objects of their owner, which may be about to end.
  void release_callbacks() {
    if (inside_ == 0)
      sink_ = {};
  }

  const bool pauses_;
  std::recursive_mutex mutex_; ///< A callback may close its own session.
  watch_sink sink_;
  int inside_ = 0;
  bool closed_ = false;
};

} // namespace troupe::k8s::rest
