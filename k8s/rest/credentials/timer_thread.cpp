#include "k8s/rest/credentials/timer_thread.hpp"

namespace troupe::k8s::rest {

timer_thread::timer_thread()
    : thread_([this] { run_tasks_until_end(); }) {
  // nop
}

timer_thread::~timer_thread() {
  {
    std::lock_guard guard{mutex_};
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

timer_thread::ticket timer_thread::run_at(clock::time_point when,
                                          std::function<void()> task) {
  bool first = false;
  ticket result;
  {
    std::lock_guard guard{mutex_};
    result = {when, next_++};
    // In two steps: begin() may be another before and after.
    auto added = tasks_.emplace(result, std::move(task)).first;
    first = added == tasks_.begin();
  }
  // Waking the thread for a later task would cost more than the task.
  if (first)
    changed_.notify_one();
  return result;
}

void timer_thread::cancel(const ticket& t) {
  std::function<void()> task; // Dies after the lock.
  std::lock_guard guard{mutex_};
  if (auto i = tasks_.find(t); i != tasks_.end()) {
    task = std::move(i->second);
    tasks_.erase(i);
  }
}

void timer_thread::run_tasks_until_end() {
  std::unique_lock lock{mutex_};
  while (!ending_) {
    if (tasks_.empty()) {
      changed_.wait(lock);
      continue;
    }
    auto next = tasks_.begin();
    if (auto due = next->first.first; due > clock::now()) {
      changed_.wait_until(lock, due);
      continue;
    }
    auto task = std::move(next->second);
    tasks_.erase(next);
    lock.unlock();
    task();
    task = nullptr; // What it held must not die under the lock.
    lock.lock();
  }
}

} // namespace troupe::k8s::rest
