#pragma once

#include "k8s/node/containers/container_log.hpp"
#include "k8s/node/containers/exec_process.hpp"
#include "k8s/node/containers/process.hpp"
#include "k8s/node/pods/pod_status.hpp"

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::k8s::node {

/// What a pod's run needs of the node, and its callbacks.
struct pod_run_options {
  boost::asio::io_context& io;
  pod_sandbox sandbox;
  std::string reaper_file; ///< The program of reaper.c.
  std::string log_directory;
  std::chrono::milliseconds back_off_base{10'000};

  /// Reads ConfigMaps and Secrets, later or at once.
  std::function<void(std::vector<config_source_name>,
                     std::function<void(config_sources)>)>
      read_config_sources;
  /// The status has changed.
  std::function<void(const pod_runtime_status&)> on_status;
  /// A warning event is due, with this reason and message.
  std::function<void(const std::string&, const std::string&)> on_warning;
  /// After `terminate`: nothing of the pod runs any more, and the run may be
  /// destroyed.
  std::function<void()> on_terminated;
};

/// A running program with all that it has started.
struct running_program {
  pid_t root = 0; ///< The ancestor of all its processes.
  time_point started{};
};

/// A running container: its own program, and commands (kubectl exec).
struct running_container {
  std::string name;
  std::vector<running_program> programs;
};

/// The life of one pod as host processes: init containers one after the other,
/// then all containers, restarts with back-off, and its end. Nothing waits for
/// the end of a sidecar (an init container with restartPolicy Always); sidecars
/// end after the containers, the last one first. Knows nothing of the API
/// server. For the node's io_context; no callback is called after its end.
/// Volumes are in pod_run_volumes.cpp, the files of a container's life in
/// pod_run_files.cpp, the streams of containers in pod_run_streams.cpp.
class pod_run : public std::enable_shared_from_this<pod_run> {
public:
  pod_run(json pod, pod_run_options options);

  void start();
  /// SIGTERM now, SIGKILL after `grace`; then on_terminated. If called again,
  /// the earlier SIGKILL counts.
  void terminate(std::chrono::seconds grace);

  /// Writes the volumes that show a ConfigMap or Secret, which has changed.
  void update_volumes(const config_source_name& name,
                      const config_source_content& content);

  const json& pod() const { return pod_; }
  const pod_runtime_status& status() const { return status_; }
  const pod_sandbox& sandbox() const { return options_.sandbox; }

  std::vector<running_container> running_containers() const;

  /// The state of a container ("" for the first); null if the pod has no such
  /// container.
  const container_state* find_state(const std::string& container) const;

  /// The log of the present or the previous life of a container ("" for the
  /// first); nullptr if there is none.
  std::shared_ptr<container_log> find_log(const std::string& container,
                                          bool previous) const;

  /// Starts a command in a container, which ends with the container at the
  /// latest. If it returns an error, it has not called `to`.
  result<std::weak_ptr<exec_process>> exec(const std::string& container,
                                           const exec_options& options,
                                           const session_sink& to);

  /// The running program of a container; null if it does not run. The pointer
  /// is valid until the next event only.
  process* find_running_process(const std::string& container) const;
  /// Whether the container's input ends when the first client has left.
  bool has_stdin_once(const std::string& container) const;

private:
  /// One container.
  struct container_run {
    const json* spec = nullptr;                 ///< Points into pod_.
    container_runtime_status* status = nullptr; ///< Points into status_.
    std::unique_ptr<process> running;
    container_plan plan; ///< Of the latest life.
    std::vector<std::shared_ptr<exec_process>> commands;
    std::shared_ptr<container_log> log;
    std::shared_ptr<container_log> previous_log;
    std::unique_ptr<boost::asio::steady_timer> restart;
    int crashes = 0; ///< Ends in a row.
    bool is_init = false;
    bool is_sidecar = false;  ///< One of the init containers.
    bool is_ending = false;   ///< A sidecar that got SIGTERM.
    bool is_finished = false; ///< It is not started again.
  };

  void make_container_runs(const char* list, bool is_init,
                           std::vector<container_run>& container_runs,
                           std::vector<container_runtime_status>& statuses);
  void start_deadline_timer_if_any();
  void read_sources_and_write_volumes();
  /// Hands over what the sources of volumes hold, not older than what
  /// update_volumes was told; nothing once the pod has ended.
  void read_current_sources(std::vector<config_source_name> names,
                            std::function<void(const config_sources&)> handle);
  void write_volumes_and_start(const config_sources& data);
  void schedule_token_refresh();
  void start_next_init_or_main();
  void read_sources_and_start(container_run& container);
  void plan_and_start_container_or_fail(container_run& container,
                                        const config_sources& data);
  std::optional<start_error> prepare_container_files(container_run& container,
                                                     container_plan& plan);
  void start_or_restart_container(container_run& container,
                                  const container_plan& plan);
  void record_running_and_allow_exec(container_run& container,
                                     const container_plan& plan);
  /// Once a sidecar runs, the container after it is started.
  void start_what_waits_for_sidecar(const container_run& container);
  void rotate_and_open_log(container_run& container);
  void record_end_and_restart_or_advance(container_run& container,
                                         const process_end& end);
  std::string read_termination_message(const container_run& container) const;
  void restart_container_or_advance_pod(container_run& container);
  void schedule_container_restart(container_run& container,
                                  std::chrono::milliseconds wait);
  const container_run* find_container_or_first(const std::string& name) const;
  void update_phase_and_end_sidecars();
  void fail_pod_and_terminate(const std::string& reason,
                              const std::string& message);
  void terminate_then_kill(std::chrono::seconds grace);
  void kill_all_after(std::chrono::seconds grace);
  std::chrono::seconds grace_period() const;
  bool end_last_remaining_sidecar();
  bool are_main_containers_finished() const;
  bool is_any_except_sidecars_running() const;
  void report_status() { options_.on_status(status_); }
  void report_if_terminated();
  void release_namespaces_if_finished();
  bool is_any_container_running() const;
  std::string restart_policy_or_always() const;
  template <class F>
  void for_each_container(F f) {
    for (auto* container_runs : {&init_containers_, &containers_})
      for (auto& container : *container_runs)
        f(container);
  }
  /// A handler that does nothing once this run is gone.
  template <class F>
  auto unless_destroyed(F f) {
    return [weak = weak_from_this(), f](boost::system::error_code error) {
      auto me = weak.lock();
      if (me && !error)
        f();
    };
  }

  json pod_;
  pod_run_options options_;
  pod_runtime_status status_;
  std::vector<container_run> init_containers_;
  std::vector<container_run> containers_;
  std::size_t next_init_ = 0;
  std::string last_volume_error_; ///< Each is reported once.
  bool has_volumes_ = false;
  std::size_t volume_source_changes_ = 0; ///< Of which it was told.
  bool terminating_ = false;
  boost::asio::steady_timer kill_timer_;
  boost::asio::steady_timer deadline_timer_;
  boost::asio::steady_timer volume_timer_;
  boost::asio::steady_timer token_timer_;
};

} // namespace troupe::k8s::node
