#pragma once

#include "actors/admin/job_table.hpp"
#include "actors/admin/stream_query.hpp"
#include "k8s/http/server.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <vector>

namespace troupe::actors {

/// The streams of server-sent events. Every `look_interval`, each stream that
/// does not wait for an answer asks for changes; an event is sent only if there
/// are any. So a client gets at most two messages a second. The server
/// disconnects a client that is too slow (its limits).
class event_streams {
public:
  static constexpr std::size_t most_streams = 32;
  static constexpr std::chrono::milliseconds look_interval{500};
  /// A comment is sent after so many looks without an event, so that both sides
  /// notice a dead connection.
  static constexpr int looks_per_heartbeat = 10;

  bool is_full() const { return streams_.size() >= most_streams; }
  bool empty() const { return streams_.empty(); }

  /// Begins the response. The number identifies the stream.
  std::uint64_t open_stream(k8s::http::response_writer_ptr back,
                            stream_subject subject);
  void remove_stream(std::uint64_t stream) { streams_.erase(stream); }

  /// A stream that asks for changes now.
  struct due_request {
    std::uint64_t stream = 0;
    stream_subject subject;
  };
  /// Returns the streams that ask for changes now; each waits until it is
  /// answered. Sends a heartbeat to each that has had no event for a while.
  std::vector<due_request> send_heartbeats_and_take_due();

  // The answers. Those for a stream that was closed meanwhile are ignored.
  void on_job_changes(std::uint64_t stream, const job_changes& changes,
                      k8s::time_point now);
  /// `report` is null if there is no such job.
  void on_job_report(std::uint64_t stream, const nlohmann::json& report);
  void on_no_answer(std::uint64_t stream);

private:
  struct event_stream {
    k8s::http::response_writer_ptr back;
    stream_subject subject;
    bool waiting = false;
    int looks_without_event = 0;
    std::size_t last_report = 0; ///< Hash of its text.
  };

  event_stream* find_and_mark_answered(std::uint64_t stream);

  std::map<std::uint64_t, event_stream> streams_;
  std::uint64_t next_stream_ = 1;
};

} // namespace troupe::actors
