#pragma once

#include "actors/api/fact_sender.hpp"
#include "actors/base/own_report.hpp"
#include "k8s/calls.hpp"
#include "k8s/watch/watch_course.hpp"

#include <optional>
#include <set>
#include <string>

namespace troupe::actors {

class watch_meter;

/// What one watcher is for.
struct watcher_config {
  std::size_t number = 0; ///< Repeated in watcher_synced.
  watch_target about;
  k8s::resource resource;
  std::string label_selector;
  std::string field_selector = {};
  /// What is kept of a child.
  k8s::object_detail children_detail = k8s::object_detail::pod;
  /// The operator is not ready without it.
  bool needed_to_be_ready = true;
};

/// Lists and watches one resource as `k8s::watch_course` decides, and sends the
/// directories the same facts for lists and watches. Keeps no objects. An API
/// server that went back to an older version is reported to the root.
///
/// An object that cannot be read costs nobody else anything: it is left out,
/// and a warning is logged once. If it is a job, its supervisor tells the user.
/// If the text of an event may have been damaged on its way, its object is
/// listed again, with all others, but only once.
///
/// If listing a job kind or an auxiliary kind is forbidden (403), the watcher
/// counts as synced and retries, at most every minute; a job that needs the
/// kind gets an event when its object cannot be created. Without pods and
/// services the operator does not become ready.
class watcher_state {
public:
  static inline const char* name = "watcher";

  explicit watcher_state(watcher_actor::pointer self)
      : self_(self) {}

  void init(context_ptr context, watcher_config config, directory_shards to,
            sync_listener_actor listener);
  void on_start();
  void on_page(const api_response& a);
  void on_stream_opened(const stream_opened& s);
  void on_stream_accepted(const stream_accepted& s);
  void on_events_arrived(const events_arrived& e);
  void on_stream_ended(const stream_ended& e);
  void on_timer(const timer_fired& fired);
  report_ptr report() const;

private:
  using time_point = k8s::watch_course::time_point;

  time_point now() const { return self_->clock().now(); }
  /// null without a time.
  nlohmann::json
  seconds_since_or_null(const std::optional<time_point>& when) const;
  /// Neither pods nor services, which every job needs.
  bool is_dispensable() const;
  k8s::watch_course::limits make_course_limits() const;
  k8s::selection make_selection() const;
  k8s::object_detail watched_detail() const;
  /// Does what the course says.
  void execute_course_step(const k8s::watch_course::step& next);
  /// The watch has ended.
  void count_watch_end_and_execute_step(const k8s::watch_course::step& next);
  void request_page();
  void open_watch_stream();
  void retry_after_delay(const k8s::watch_course::step& next);
  void report_server_went_back(std::uint64_t version);
  /// What the event means for the course; nullopt: the watch goes on.
  std::optional<k8s::watch_course::step>
  on_event(const k8s::watch_event& event);
  /// An object of a list or an event, readable or not. True: it has to be
  /// listed again.
  bool send_fact_or_ask_relist(const k8s::object_ptr& item, bool gone);
  /// True if it is logged now; it is not if it was before, or if too many were.
  bool log_unreadable_once(const k8s::object& item);
  /// Invalidates the replies to earlier requests.
  std::uint64_t next_request_epoch() { return ++epoch_; }

  watcher_actor::pointer self_;
  context_ptr context_;
  watcher_config config_;
  fact_sender facts_;
  sync_listener_actor listener_;
  watch_meter* meter_ = nullptr; ///< Of this resource, owned by `metrics`.
  k8s::watch_course course_;
  std::uint64_t epoch_ = 0;
  std::uint64_t list_number_ = 0;
  std::set<std::string> unreadable_; ///< UIDs of objects that were told.
  stream_ptr session_;
};

watcher_actor::behavior_type
watcher(self_pointer<watcher_actor, watcher_state> self, context_ptr context,
        watcher_config config, directory_shards to,
        sync_listener_actor listener);

} // namespace troupe::actors
