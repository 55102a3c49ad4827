#include "k8s/node/streams/pod_log_reader.hpp"

#include <boost/asio/post.hpp>

namespace troupe::k8s::node {

namespace {

/// Between the node's thread, which has the log, and the reader, who may leave
/// at any moment, even from inside a call.
struct log_subscription {
  std::recursive_mutex mutex;
  bool open = true;
  log_sink to;

  bool send_chunk(std::string text) {
    std::lock_guard guard{mutex};
    return open && to.chunk(std::move(text)) && open;
  }
  /// One who has left is, to be told that he need not be served.
  bool is_ready() {
    std::lock_guard guard{mutex};
    return !open || !to.is_ready || to.is_ready();
  }
  void end_once(result<nothing> how) {
    std::lock_guard guard{mutex};
    if (std::exchange(open, false))
      to.end(std::move(how));
  }
  void cancel() {
    std::lock_guard guard{mutex};
    open = false;
  }
};

/// Worded as by a kubelet.
std::string describe_missing_log(const pod_run& run, const std::string& pod,
                                 const std::string& container, bool previous) {
  auto which = "container \"" + container + "\" in pod \"" + pod + "\"";
  if (previous)
    return "previous terminated " + which + " not found";
  const auto* state = run.find_state(container);
  if (!state)
    return which + " is not available";
  const auto& whole = run.status();
  if (state->now == container_state::kind::waiting && whole.is_terminal())
    return which + " was never started"
           + (whole.reason.empty() ? "" : ": " + whole.reason)
           + (whole.message.empty() ? "" : ": " + whole.message);
  if (state->now == container_state::kind::waiting)
    return which + " is waiting to start: " + state->reason;
  return which + " is terminated"; // It could not be started.
}

} // namespace

result<std::shared_ptr<container_log>>
pod_log_reader::find_log(const std::string& ns, const std::string& pod,
                         const std::string& container, bool previous) const {
  auto* run = pods_.find_pod_run(ns, pod);
  if (!run)
    return failure{ec::not_found,
                   "pod \"" + pod + "\" has no log on this node"};
  if (auto log = run->find_log(container, previous))
    return log;
  return failure{ec::not_found,
                 describe_missing_log(*run, pod, container, previous)};
}

void pod_log_reader::reject_new_readers() {
  std::lock_guard guard{mutex_};
  is_closed_ = true;
}

std::function<void()> pod_log_reader::stream_log(const std::string& ns,
                                                 const std::string& pod,
                                                 const std::string& container,
                                                 const log_options& options,
                                                 log_sink to) {
  auto subscription = std::make_shared<log_subscription>();
  subscription->to = std::move(to);
  std::unique_lock guard{mutex_};
  if (is_closed_) {
    guard.unlock();
    subscription->end_once(failure{ec::not_found, "the node has ended"});
    return [] {};
  }
  boost::asio::post(io_, [=] {
    auto log = find_log(ns, pod, container, options.previous);
    if (!log) {
      subscription->end_once(log.error());
      return;
    }
    (*log)->add_reader(options, std::chrono::system_clock::now(),
                       {[subscription](std::string text) {
                          return subscription->send_chunk(std::move(text));
                        },
                        [subscription](result<nothing> how) {
                          subscription->end_once(std::move(how));
                        },
                        [subscription] { return subscription->is_ready(); }});
  });
  return [subscription] { subscription->cancel(); };
}

} // namespace troupe::k8s::node
