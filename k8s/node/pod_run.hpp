#pragma once

#include "k8s/node/container_log.hpp"
#include "k8s/node/pod_status.hpp"
#include "k8s/node/process.hpp"

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// What a pod's run needs of the node, and whom it tells.
struct pod_host {
  boost::asio::io_context& io;
  pod_environment place;
  std::string reaper; ///< The reaper's file.
  std::string log_directory;
  std::size_t log_limit = 10u << 20; ///< Bytes per life of a container.
  std::chrono::milliseconds back_off_base{10'000};

  /// Reads ConfigMaps and Secrets, later or at once.
  std::function<void(std::vector<source_name>, std::function<void(sources)>)>
      read;
  /// The status has changed.
  std::function<void(const pod_view&)> on_status;
  /// Something that an event should tell: reason and message.
  std::function<void(const std::string&, const std::string&)> on_warning;
  /// After `terminate`: nothing of it runs any more. The run may be destroyed.
  std::function<void()> on_gone;
};

/// The life of one pod as host processes: init containers one after the other,
/// then all containers, restarts with back-off, and its end. Knows nothing of
/// the API server. Lives on the node's io_context; none of the host's functions
/// is called after its end. What concerns volumes is in pod_volumes.cpp.
class pod_run : public std::enable_shared_from_this<pod_run> {
public:
  pod_run(json pod, pod_host host);

  void start();
  /// SIGTERM now, SIGKILL after `grace`; then `on_gone`. Again: a shorter
  /// grace counts.
  void terminate(std::chrono::seconds grace);

  /// A ConfigMap or Secret has changed: so do the volumes that show it.
  void refresh(const source_name& name, const source_content& content);

  const json& pod() const { return pod_; }
  const pod_view& view() const { return view_; }
  const pod_environment& place() const { return host_.place; }

  /// The log of a container ("" for the first), of its present or previous
  /// life; nullptr if there is none.
  container_log* log_of(const std::string& container, bool previous) const;

private:
  /// One container.
  struct container_run {
    const json* spec = nullptr;     ///< Into pod_.
    container_view* view = nullptr; ///< Into view_.
    std::unique_ptr<process> running;
    std::unique_ptr<container_log> log;
    std::unique_ptr<container_log> previous_log;
    std::unique_ptr<boost::asio::steady_timer> restart;
    int crashes = 0; ///< Ends in a row.
    bool init = false;
    bool done = false; ///< Will not be started again.
  };

  void make_container_runs(const char* list, bool init,
                           std::vector<container_run>& container_runs,
                           std::vector<container_view>& views);
  void watch_deadline();
  void make_volumes();
  void fill(const sources& data);
  void next_init();
  void prepare(container_run& u);
  void launch(container_run& u, const sources& data);
  void run(container_run& u, const container_plan& plan);
  void new_log(container_run& u);
  void ended(container_run& u, const process_end& end);
  void decide(container_run& u);
  void start_later(container_run& u, std::chrono::milliseconds wait);
  void settle_phase();
  void fail(const std::string& reason, const std::string& message);
  void end_processes(std::chrono::seconds grace);
  void tell() { host_.on_status(view_); }
  void check_gone();
  bool anything_runs() const;
  std::string policy() const;
  template <class F>
  void each(F f) {
    for (auto* container_runs : {&init_, &units_})
      for (auto& u : *container_runs)
        f(u);
  }
  /// A handler that does nothing once this run is gone.
  template <class F>
  auto safely(F f) {
    return [weak = weak_from_this(), f](boost::system::error_code error) {
      auto me = weak.lock();
      if (me && !error)
        f();
    };
  }

  json pod_;
  pod_host host_;
  pod_view view_;
  std::vector<container_run> init_;
  std::vector<container_run> units_;
  std::size_t next_init_ = 0;
  std::string last_obstacle_; ///< To volumes; each is told once.
  bool has_volumes_ = false;
  bool terminating_ = false;
  boost::asio::steady_timer kill_timer_;
  boost::asio::steady_timer deadline_timer_;
  boost::asio::steady_timer volume_timer_;
};

} // namespace troupe::k8s::node
