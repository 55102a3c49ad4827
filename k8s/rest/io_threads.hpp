#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <thread>
#include <vector>

namespace troupe::k8s::rest {

/// An io_context with its threads. The destructor waits for running tasks;
/// others never begin.
class io_threads {
public:
  explicit io_threads(unsigned count)
      : context_(static_cast<int>(std::max(count, 1u)))
      , work_(context_.get_executor()) {
    for (unsigned i = 0; i < std::max(count, 1u); ++i)
      threads_.emplace_back([this] { context_.run(); });
  }

  ~io_threads() { stop(); }

  io_threads(const io_threads&) = delete;
  io_threads& operator=(const io_threads&) = delete;

  boost::asio::io_context& context() { return context_; }

  /// After this nothing runs. Not to be called on one of these threads.
  void stop() {
    work_.reset();
    context_.stop();
    for (auto& t : threads_)
      if (t.joinable())
        t.join();
  }

private:
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type>
      work_;
  std::vector<std::thread> threads_;
};

} // namespace troupe::k8s::rest
