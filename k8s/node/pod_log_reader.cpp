#include "k8s/node/pod_log_reader.hpp"

#include <boost/asio/post.hpp>

namespace troupe::k8s::node {

namespace {

/// Between the node's thread, which has the log, and the reader, who may leave
/// at any moment, even from inside a call.
struct log_subscription {
  std::recursive_mutex mutex;
  bool open = true;
  log_sink to;

  bool pass(std::string text) {
    std::lock_guard guard{mutex};
    return open && to.chunk(std::move(text)) && open;
  }
  /// One who has left is, to be told that he need not be served.
  bool is_ready() {
    std::lock_guard guard{mutex};
    return !open || !to.is_ready || to.is_ready();
  }
  void finish(result<nothing> how) {
    std::lock_guard guard{mutex};
    if (std::exchange(open, false))
      to.end(std::move(how));
  }
  void close() {
    std::lock_guard guard{mutex};
    open = false;
  }
};

} // namespace

result<std::shared_ptr<container_log>>
pod_log_reader::find_log(const std::string& ns, const std::string& pod,
                         const std::string& container, bool previous) const {
  auto* run = pods_.find(ns, pod);
  if (!run)
    return failure{ec::not_found,
                   "pod \"" + pod + "\" has no log on this node"};
  if (auto log = run->find_log(container, previous))
    return log;
  auto which = "container \"" + container + "\" in pod \"" + pod + "\"";
  if (previous)
    return failure{ec::not_found,
                   "previous terminated " + which + " not found"};
  return failure{ec::not_found, which + " is waiting to start"};
}

void pod_log_reader::close() {
  std::lock_guard guard{mutex_};
  is_closed_ = true;
}

std::function<void()> pod_log_reader::open(const std::string& ns,
                                           const std::string& pod,
                                           const std::string& container,
                                           const log_options& options,
                                           log_sink to) {
  auto g = std::make_shared<log_subscription>();
  g->to = std::move(to);
  std::unique_lock guard{mutex_};
  if (is_closed_) {
    guard.unlock();
    g->finish(failure{ec::not_found, "the node has ended"});
    return [] {};
  }
  boost::asio::post(io_, [=] {
    auto log = find_log(ns, pod, container, options.previous);
    if (!log) {
      g->finish(log.error());
      return;
    }
    (*log)->read(options, std::chrono::system_clock::now(),
                 {[g](std::string text) { return g->pass(std::move(text)); },
                  [g](result<nothing> how) { g->finish(std::move(how)); },
                  [g] { return g->is_ready(); }});
  });
  return [g] { g->close(); };
}

} // namespace troupe::k8s::node
