#pragma once

// The one place where cpprestsdk hands over the bytes of an answer. Included by
// rest_*.cpp only.

#include "k8s/api.hpp"

#include <cpprest/astreambuf.h>
#include <cpprest/streams.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::k8s::rest {

/// What a watch's session and its streaming share. Holds bytes back until the
/// status is known: those of an error answer are no events. Thread-safe.
class watch_stream {
public:
  explicit watch_stream(watch_sink sink)
      : sink_(std::move(sink)) {}

  void receive_bytes(std::string_view chunk) {
    std::lock_guard guard{mutex_};
    if (closed_)
      return;
    if (status_ == 200)
      call_sink([&] { sink_.bytes(chunk); });
    else if (status_ == 0 || held_.size() < most_of_an_error)
      held_.append(chunk);
  }

  /// With 200, what came and what comes are events.
  void on_status(int status) {
    std::lock_guard guard{mutex_};
    status_ = status;
    if (status != 200)
      return;
    if (!closed_ && sink_.opened)
      call_sink([&] { sink_.opened(); });
    if (!closed_ && !held_.empty())
      call_sink([&] { sink_.bytes(held_); });
    std::string{}.swap(held_);
  }

  /// What came instead of events.
  std::string held_error_body() {
    std::lock_guard guard{mutex_};
    return held_;
  }

  void finish(result<nothing> how) {
    std::lock_guard guard{mutex_};
    if (!std::exchange(closed_, true))
      call_sink([&] { sink_.ended(std::move(how)); });
    release_callbacks();
  }

  /// No callback after this.
  void close() {
    std::lock_guard guard{mutex_};
    closed_ = true;
    release_callbacks();
  }

private:
  static constexpr std::size_t most_of_an_error = 64u << 10;

  template <class F>
  void call_sink(F f) {
    ++inside_;
    f();
    --inside_;
    if (closed_)
      release_callbacks();
  }

  /// What the callbacks hold is their owner's, who may be about to end.
  void release_callbacks() {
    if (inside_ == 0)
      sink_ = {};
  }

  std::recursive_mutex mutex_; ///< A callback may close its own session.
  watch_sink sink_;
  std::string held_;
  int status_ = 0;
  int inside_ = 0;
  bool closed_ = false;
};

/// A write-only stream buffer that passes bytes on as they arrive. (Reading a
/// watch through a buffered stream waits for full buffers, and a long answer is
/// there in half the time.)
class write_only_callback_streambuf
    : public concurrency::streams::details::streambuf_state_manager<
          std::uint8_t> {
public:
  using byte_handler = std::function<void(std::string_view)>;

  /// An exception out of `to` ends the answer with it.
  explicit write_only_callback_streambuf(byte_handler to)
      : streambuf_state_manager(std::ios_base::out)
      , to_(std::move(to)) {}

  bool can_seek() const override { return false; }
  bool has_size() const override { return false; }
  std::size_t in_avail() const override { return 0; }
  std::size_t buffer_size(std::ios_base::openmode) const override { return 0; }
  void set_buffer_size(std::size_t, std::ios_base::openmode) override {}
  pos_type getpos(std::ios_base::openmode) const override {
    return static_cast<pos_type>(traits::eof());
  }
  pos_type seekpos(pos_type, std::ios_base::openmode) override {
    return static_cast<pos_type>(traits::eof());
  }
  pos_type seekoff(off_type, std::ios_base::seekdir,
                   std::ios_base::openmode) override {
    return static_cast<pos_type>(traits::eof());
  }
  bool acquire(std::uint8_t*&, std::size_t&) override { return false; }
  void release(std::uint8_t*, std::size_t) override {}

protected:
  pplx::task<int_type> _putc(std::uint8_t c) override {
    return pass_bytes_to_handler<int_type>(&c, 1, c);
  }
  pplx::task<std::size_t> _putn(const std::uint8_t* p, std::size_t n) override {
    return pass_bytes_to_handler<std::size_t>(p, n, n);
  }
  std::uint8_t* _alloc(std::size_t) override { return nullptr; }
  void _commit(std::size_t) override {}
  pplx::task<std::size_t> _getn(std::uint8_t*, std::size_t) override {
    return pplx::task_from_result<std::size_t>(0);
  }
  std::size_t _scopy(std::uint8_t*, std::size_t) override { return 0; }
  pplx::task<int_type> _bumpc() override { return eof_task(); }
  int_type _sbumpc() override { return traits::eof(); }
  pplx::task<int_type> _getc() override { return eof_task(); }
  int_type _sgetc() override { return traits::eof(); }
  pplx::task<int_type> _nextc() override { return eof_task(); }
  pplx::task<int_type> _ungetc() override { return eof_task(); }
  pplx::task<bool> _sync() override { return pplx::task_from_result(true); }

private:
  static pplx::task<int_type> eof_task() {
    return pplx::task_from_result<int_type>(traits::eof());
  }

  template <class T>
  pplx::task<T> pass_bytes_to_handler(const std::uint8_t* p, std::size_t n,
                                      T done) {
    // Thrown out of here, an exception would end the process.
    try {
      to_({reinterpret_cast<const char*>(p), n});
      return pplx::task_from_result<T>(done);
    } catch (...) {
      return pplx::task_from_exception<T>(std::current_exception());
    }
  }

  byte_handler to_;
};

} // namespace troupe::k8s::rest
