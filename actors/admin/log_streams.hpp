#pragma once

#include "actors/admin/log_query.hpp"
#include "actors/admin/log_text.hpp"
#include "actors/base/byte_pace.hpp"
#include "k8s/api.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace troupe::actors {

/// Sends a log to one client as events: `text` (a JSON string) as it comes,
/// then `end` (null) or `problem` (pod_log_problem_json()). Called on the API
/// client's threads. It keeps no text except an incomplete character: while
/// more than `most_backlog` waits for the client, or the log is faster than the
/// pace, it asks for a pause, and the rest of the log stays on the API server.
class log_relay {
public:
  static constexpr std::size_t most_backlog = 256u << 10;
  static constexpr std::size_t bytes_per_second = 1u << 20;
  static constexpr std::chrono::milliseconds slow_client_pause{100};

  explicit log_relay(k8s::http::response_writer_ptr back)
      : back_(std::move(back)) {}

  void on_bytes(std::string_view bytes, byte_pace::clock::time_point now);
  std::chrono::milliseconds wanted_pause(byte_pace::clock::time_point now);
  void on_end(const k8s::result<k8s::nothing>& how);

private:
  void send_text(const std::string& text);

  k8s::http::response_writer_ptr back_;
  log_text text_;
  byte_pace pace_{bytes_per_second, bytes_per_second};
};

/// The logs of pods that are being shown. A log takes a place when it is
/// requested, and frees it when its client has disconnected or the log has
/// ended. Limited are the number of logs, in total and of one client address;
/// the lines of each (log_query, log_text), its pace, and what waits for its
/// client (log_relay).
class log_streams {
public:
  static constexpr std::size_t most_streams = 16;
  static constexpr std::size_t most_streams_of_client = 8;

  /// A log that was requested.
  struct log_stream {
    k8s::http::response_writer_ptr back;
    std::string client; ///< Its address.
    std::string ns;
    std::string pod;
    log_query query;
    logged_pod known = {}; ///< What the job's report says of it.
    bool started = false;  ///< The response has begun.
    std::unique_ptr<k8s::watch_session> session = nullptr;
  };

  bool empty() const { return streams_.empty(); }

  /// Takes a place; ec::overloaded if there is none.
  k8s::result<std::uint64_t> open_stream(log_stream s);
  /// nullptr: it was closed meanwhile.
  log_stream* find(std::uint64_t stream);
  void close_stream(std::uint64_t stream) { streams_.erase(stream); }
  /// Responds with `why` to a client that gets nothing of the log, and closes
  /// the stream.
  void refuse_and_close(std::uint64_t stream, k8s::http::response why);
  /// Sends the choice of the container (choose_log_container), then the log.
  /// `ended` is called at its end, on any thread.
  void start_log(std::uint64_t stream, const nlohmann::json& choice,
                 k8s::api& client, std::function<void()> ended);
  void send_heartbeats();

private:
  std::map<std::uint64_t, log_stream> streams_;
  std::uint64_t next_stream_ = 1;
};

} // namespace troupe::actors
