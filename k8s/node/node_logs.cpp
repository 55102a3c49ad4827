#include "k8s/node/host_node.hpp"

#include <boost/asio/post.hpp>

namespace troupe::k8s::node {

namespace {

/// Between the node's thread, which has the log, and the reader, who may leave
/// at any moment, even from inside a call.
struct log_subscription {
  std::recursive_mutex mutex;
  bool open = true;
  std::function<void(std::string)> chunk;
  std::function<void(result<nothing>)> end;

  bool pass(std::string text) {
    std::lock_guard guard{mutex};
    if (open)
      chunk(std::move(text));
    return open;
  }
  void finish(result<nothing> how) {
    std::lock_guard guard{mutex};
    if (std::exchange(open, false))
      end(std::move(how));
  }
  void close() {
    std::lock_guard guard{mutex};
    open = false;
  }
};

} // namespace

result<container_log*> host_node::find_log(const std::string& ns,
                                           const std::string& pod,
                                           const std::string& container,
                                           bool previous) {
  const pod_run* found = nullptr;
  for (const auto& [uid, e] : runs_) {
    const auto& meta = e.run->pod()["metadata"];
    bool same =
        text_at(meta, {"namespace"}) == ns && text_at(meta, {"name"}) == pod;
    // One that is being deleted may have a successor.
    if (same && (!found || !e.leaving))
      found = e.run.get();
  }
  if (!found)
    return failure{ec::not_found,
                   "pod \"" + pod + "\" has no log on this node"};
  if (auto* log = found->log_of(container, previous))
    return log;
  auto which = "container \"" + container + "\" in pod \"" + pod + "\"";
  if (previous)
    return failure{ec::not_found,
                   "previous terminated " + which + " not found"};
  return failure{ec::not_found, which + " is waiting to start"};
}

std::function<void()>
host_node::open(const std::string& ns, const std::string& pod,
                const std::string& container, const log_options& options,
                std::function<void(std::string)> chunk,
                std::function<void(result<nothing>)> end) {
  auto g = std::make_shared<log_subscription>();
  g->chunk = std::move(chunk);
  g->end = std::move(end);
  std::unique_lock guard{open_mutex_};
  if (closed_) {
    guard.unlock();
    g->finish(failure{ec::not_found, "the node has ended"});
    return [] {};
  }
  boost::asio::post(*io_, [=] {
    auto log = find_log(ns, pod, container, options.previous);
    if (!log) {
      g->finish(log.error());
      return;
    }
    (*log)->read(
        options, std::chrono::system_clock::now(),
        [g](std::string text) { return g->pass(std::move(text)); },
        [g](result<nothing> how) { g->finish(std::move(how)); });
  });
  return [g] { g->close(); };
}

} // namespace troupe::k8s::node
