#pragma once

#include "actors/admin/admin_paths.hpp"
#include "actors/admin/event_streams.hpp"
#include "actors/admin/log_streams.hpp"
#include "actors/base/protocols.hpp"
#include "k8s/http/server.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>

namespace troupe::actors {

/// A request to the admin endpoint, and the writer of its response.
struct admin_request {
  k8s::http::request request;
  k8s::http::response_writer_ptr back;
};

/// The client of a stream has disconnected.
struct stream_disconnected {
  std::uint64_t stream = 0;
};

/// The API server's answer to the read of the pod whose log is requested.
struct logged_pod_read {
  std::uint64_t stream = 0;
  std::shared_ptr<const k8s::result<std::string>> pod;
};

/// The client of a log has disconnected, or the log has ended.
struct log_stream_closed {
  std::uint64_t stream = 0;
};

} // namespace troupe::actors

TROUPE_LOCAL_ONLY(admin_request)
TROUPE_LOCAL_ONLY(stream_disconnected)
TROUPE_LOCAL_ONLY(logged_pod_read)
TROUPE_LOCAL_ONLY(log_stream_closed)

namespace troupe::actors {

/// Answers the requests of the admin endpoint (admin_paths.hpp): turns them
/// into requests to the actors concerned, and serves the page.
using admin_actor = caf::typed_actor<
    // Answer it.
    caf::reacts_to<admin_request>,
    // Internal, from the server's thread.
    caf::reacts_to<stream_disconnected>,
    // Internal, from the API client's or the server's thread.
    caf::reacts_to<logged_pod_read>, caf::reacts_to<log_stream_closed>,
    // Internal. Time to ask for changes for the streams.
    caf::reacts_to<timer_fired>>;

struct admin_config {
  root_actor root;
  job_list_actor jobs;
  std::function<nlohmann::json()> settings; ///< The values and their origins.
  std::function<k8s::time_point()> clock;   ///< Wall-clock time.
  std::string api_server = {}; ///< "10.0.0.1:6443"; "" if in this process.
  /// Used for logs only.
  std::shared_ptr<k8s::api> client = nullptr;
};

class admin_state {
public:
  static inline const char* name = "admin";

  explicit admin_state(admin_actor::pointer self)
      : self_(self) {}

  void init(admin_config config) { config_ = std::move(config); }
  void on_request(const admin_request& r);
  void on_stream_disconnected(const stream_disconnected& s);
  void on_logged_pod_read(const logged_pod_read& answer);
  void on_log_stream_closed(const log_stream_closed& s);
  void on_timer();

private:
  using writer = k8s::http::response_writer_ptr;

  /// How long other actors and the API server may take to answer.
  static constexpr std::chrono::seconds answer_limit{5};

  void route_request(const admin_target& target, const admin_request& r);
  void read_or_change_log_levels(const admin_request& r);
  void open_event_stream(const admin_request& r);
  void schedule_stream_poll();
  void request_stream_data(const event_streams::due_request& q);
  void open_pod_log(const admin_target& target, const admin_request& r);
  void read_pod_if_of_job(std::uint64_t stream, const nlohmann::json& report);
  void reply_with_job_list(const writer& back);
  void reply_with_actor_tree(const writer& back);
  void reply_with_watchers(const writer& back);
  void reply_with_job(const writer& back, const get_job_report& which,
                      bool as_text);

  admin_actor::pointer self_;
  admin_config config_;
  event_streams streams_;
  log_streams logs_;
  int looks_without_heartbeat_ = 0; ///< Of logs.
  bool timer_set_ = false;
};

admin_actor::behavior_type
admin(admin_actor::stateful_pointer<admin_state> self, admin_config config);

} // namespace troupe::actors
