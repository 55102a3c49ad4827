#pragma once

#include "actors/cli/progress/log_lines.hpp"
#include "actors/cli/progress/views.hpp"
#include "k8s/api.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe::cli {

/// A line of a log that has begun, as it looks now.
struct unfinished_log_line {
  replica_view whose;
  std::string text;
  bool is_overwritten = false; ///< It has overwritten itself, by '\r'.
};

/// Follows the logs of pods, each life of a container once. Only the thread of
/// the io_context may call it, and it calls back on that thread. With
/// `timestamps` each line begins with its time and a blank. Only the last state
/// of a line that overwrites itself is passed on. Bytes that come faster than
/// the thread takes them are dropped, and a line says how many.
class pod_logs {
public:
  using sink =
      std::function<void(const replica_view& whose, const std::string& line)>;

  pod_logs(std::shared_ptr<boost::asio::io_context> io,
           std::shared_ptr<k8s::api> client, std::string ns, sink line,
           bool timestamps);
  ~pod_logs();

  /// Follows the log of the pod's container; does nothing if there is none, or
  /// if it is followed already.
  void follow_container_logs(const replica_view& pod);
  /// The UIDs of the pods whose logs have not been read to their end.
  std::set<std::string> pods_with_open_logs() const;
  /// The unfinished lines of all logs, sorted by slot.
  std::vector<unfinished_log_line> unfinished_lines() const;

private:
  /// Bytes on their way to this thread. Only the sender uses the fields other
  /// than `bytes`.
  struct backlog {
    std::atomic<std::size_t> bytes{0};
    bool is_dropping = false;
    std::size_t dropped_lines = 0;
  };
  struct stream {
    replica_view whose;
    std::shared_ptr<backlog> waiting = std::make_shared<backlog>();
    log_lines lines;
    std::unique_ptr<k8s::watch_session> session;
  };

  void deliver_complete_lines(const std::string& log, const std::string& bytes);
  log_lines::handler make_line_handler(const stream& s) const;
  std::size_t end_of_dropped_bytes(const backlog& waiting,
                                   std::string_view bytes) const;
  void post_or_drop_bytes(const std::string& log, backlog& waiting,
                          std::string_view bytes);
  void drop_unfinished_line_and_deliver_notice(const std::string& log,
                                               std::size_t lines);
  void on_log_stream_ended(const std::string& log);

  std::shared_ptr<boost::asio::io_context> io_;
  std::shared_ptr<k8s::api> client_;
  std::string ns_;
  sink line_;
  bool timestamps_;
  std::map<std::string, stream> streams_; ///< By replica_view::log_of.
  std::set<std::string> unfinished_;      ///< Of these, lines have begun.
};

} // namespace troupe::cli
