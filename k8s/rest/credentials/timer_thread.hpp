#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace troupe::k8s::rest {

/// A thread that runs small tasks at their time. Its destructor drops tasks
/// that have not begun. Thread-safe.
class timer_thread {
public:
  using clock = std::chrono::steady_clock;

  timer_thread();
  ~timer_thread();

  timer_thread(const timer_thread&) = delete;
  timer_thread& operator=(const timer_thread&) = delete;

  /// Names a task that has not run yet.
  using ticket = std::pair<clock::time_point, std::uint64_t>;

  ticket run_at(clock::time_point when, std::function<void()> task);
  /// Drops a task; does nothing if it has run or is running.
  void cancel(const ticket& t);
  void run_soon(std::function<void()> task) {
    run_at(clock::now(), std::move(task));
  }

private:
  void run_tasks_until_end();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<ticket, std::function<void()>> tasks_;
  std::uint64_t next_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

} // namespace troupe::k8s::rest
