#pragma once

#include "actors/admin/byte_pace.hpp"
#include "actors/admin/log_query.hpp"
#include "actors/admin/log_text.hpp"
#include "k8s/api.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace troupe::actors {

/// Hands a log on to one client, as events: `text` (a JSON string) as it comes,
/// then `end` (null) or `problem` (log_problem()). From the API client's
/// threads. It keeps nothing but a character that is cut: while the client has
/// not taken `most_backlog`, or the log is faster than the pace, it asks for a
/// pause, and the rest stays with the API server.
class log_relay {
public:
  static constexpr std::size_t most_backlog = 256u << 10;
  static constexpr std::size_t bytes_per_second = 1u << 20;
  static constexpr std::chrono::milliseconds slow_client_pause{100};

  explicit log_relay(k8s::http::response_writer_ptr back)
      : back_(std::move(back)) {}

  void on_bytes(std::string_view bytes, byte_pace::clock::time_point now);
  std::chrono::milliseconds pause(byte_pace::clock::time_point now);
  void on_end(const k8s::result<k8s::nothing>& how);

private:
  void send_text(const std::string& text);

  k8s::http::response_writer_ptr back_;
  log_text text_;
  byte_pace pace_{bytes_per_second, bytes_per_second};
};

/// The logs of pods that are being shown. A place is taken when a log is asked
/// for, and given back when its client has gone or the log has ended. What they
/// cost is limited: their number, for one address as well; the lines of each
/// (log_query, log_text), its pace, and what waits for its client (log_relay).
class log_streams {
public:
  static constexpr std::size_t most_streams = 16;
  static constexpr std::size_t most_streams_of_client = 8;

  /// What is asked for.
  struct log_stream {
    k8s::http::response_writer_ptr back;
    std::string client; ///< Its address.
    std::string ns;
    std::string pod;
    log_query query;
    logged_pod known = {}; ///< What the job knows of the pod.
    bool started = false;  ///< The answer has begun.
    std::unique_ptr<k8s::watch_session> session = nullptr;
  };

  bool empty() const { return streams_.empty(); }

  /// ec::overloaded: there is no place.
  k8s::result<std::uint64_t> open_stream(log_stream s);
  /// nullptr: it was closed meanwhile.
  log_stream* find(std::uint64_t stream);
  void close_stream(std::uint64_t stream) { streams_.erase(stream); }
  /// The answer to one that gets none of the log; closes it.
  void refuse(std::uint64_t stream, k8s::http::response why);
  /// Says which container it is (choose_log_container), and lets the log come.
  /// `ended` is called at its end, from any thread.
  void start(std::uint64_t stream, const nlohmann::json& choice,
             k8s::api& client, std::function<void()> ended);
  void send_heartbeats();

private:
  std::map<std::uint64_t, log_stream> streams_;
  std::uint64_t next_stream_ = 1;
};

} // namespace troupe::actors
