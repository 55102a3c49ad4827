#pragma once

#include "actors/cli/manifest/workload.hpp"
#include "actors/cli/progress/progress.hpp"
#include "actors/cli/progress/progress_table.hpp"
#include "actors/cli/progress/screen.hpp"
#include "actors/cli/progress/timeline.hpp"
#include "actors/cli/progress/told_states.hpp"
#include "actors/cli/run/pod_logs.hpp"
#include "k8s/api.hpp"
#include "k8s/objects.hpp"
#include "k8s/watch/reflector.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::cli {

/// Watches one job, its pods and their logs, and shows them and the warnings
/// about them on the screen. For the one thread that runs the io_context, which
/// does the work.
class run_session {
public:
  /// `logs` is "none", "all" or a replica type. With `timestamps` each line of
  /// a log begins with its time. `type` is the job's resource. `list_failed` is
  /// called with each refusal of the API server. `io` must not run after the
  /// session is destroyed.
  run_session(std::shared_ptr<boost::asio::io_context> io,
              std::shared_ptr<k8s::api> client, const job_manifest& job,
              k8s::resource type, std::string logs, bool timestamps,
              screen& out, const k8s::reflector::failure_handler& list_failed);
  ~run_session();

  /// Records and shows an event, which may be about the job or an object of it.
  void on_event_seen(const nlohmann::json& event);
  /// From now on nothing is recorded or shown.
  void stop();

  /// The unfinished lines of logs, as they look now, for a terminal.
  std::vector<std::string> unfinished_log_lines() const;
  /// Where there is no terminal: prints the present state of lines that
  /// overwrite themselves.
  void print_overwritten_lines(std::chrono::steady_clock::time_point now);

  const progress& job_progress() const { return progress_; }
  const timeline& recorded_timeline() const { return timeline_; }
  /// What the pods use: on a terminal, and where metrics.k8s.io is served; else
  /// empty.
  const usage_by_pod& pod_usage() const { return used_; }
  /// Lists the pods' versions, because the end of the job may be seen before
  /// the end of its pods.
  void list_and_remember_unseen_pods();
  /// How many pods have not been seen yet in the listed version or a later one.
  /// nullopt until the list is answered; 0 if it failed.
  std::optional<std::size_t> count_unseen_pods() const {
    return are_pods_listed_ ? std::optional{unseen_pods_.size()} : std::nullopt;
  }
  /// Whether everything that the ended pods have written has been read.
  bool are_ended_pod_logs_read() const;

private:
  using answer_handler = std::function<void(const k8s::result<std::string>&)>;

  void print_events(const run_events& events);
  void print_log_line(const replica_view& whose, const std::string& line);
  std::string sanitize_line(const std::string& line, bool with_colours) const;
  void on_pod_seen(const nlohmann::json& pod);
  void on_pod_gone(const nlohmann::json& pod);
  void remember_seen_version(const std::string& uid, std::uint64_t version);
  /// On a terminal the table shows the pods; a pipe gets a line per change.
  void print_pod_events_unless_terminal(const run_events& events);
  void follow_pod_log_if_wanted(const replica_view& pod);
  void poll_pod_usage_until_refused();
  /// Handles the answer on the io_context, unless the session has stopped.
  void send_request_and_handle_unless_stopped(const k8s::request& request,
                                              answer_handler handle);

  std::shared_ptr<boost::asio::io_context> io_;
  std::shared_ptr<k8s::api> client_;
  std::string logs_wanted_;
  bool timestamps_;
  std::string name_; ///< Of the job.
  screen& out_;
  progress progress_;
  timeline timeline_;
  usage_by_pod used_;
  k8s::request pods_request_;
  bool are_pods_listed_ = false;
  std::map<std::string, std::uint64_t> seen_versions_; ///< Of pods, by UID.
  /// The versions in the list that were not seen yet, by the UIDs of the pods.
  std::map<std::string, std::uint64_t> unseen_pods_;
  k8s::request usage_request_;
  boost::asio::steady_timer usage_timer_;
  pod_logs logs_;
  told_states told_states_;
  std::vector<std::shared_ptr<k8s::reflector>> watches_;
  bool is_stopped_ = false;
};

} // namespace troupe::cli
