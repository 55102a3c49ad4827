#pragma once

#include "actors/base/directory_shards.hpp"
#include "actors/base/own_report.hpp"
#include "k8s/calls.hpp"

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
  /// What is kept of a child.
  k8s::object_detail children_detail = k8s::object_detail::pod;
  /// The operator is not ready without it.
  bool needed_to_be_ready = true;
};

/// A reflector: lists one resource in pages, watches it from the list's
/// resourceVersion on, resumes after an interruption from the last version
/// seen, and lists again when that version has expired (410). Sends the
/// directories the same facts for lists and watches; keeps no objects.
///
/// An API server that was restored from a backup has a version older than what
/// was seen. It accepts a watch from a version that it does not know yet, and
/// leaves out all that happens until it has that version. So after the server
/// could not be reached, a list of one object asks for its version before the
/// watch is resumed; an older one is reported to the root. A resource of which
/// two watches in a row told nothing, not even a bookmark, is listed.
///
/// Pages are limited by the number of objects and by bytes: one that would be
/// larger is asked for again with fewer objects.
///
/// An object that cannot be read costs nobody else anything: it is left out,
/// and told once. Of a job that it is, the supervisor tells the user. If the
/// text of an event may have been damaged on its way, its object is listed
/// again, with all others, but only once.
///
///   listing --last page--> watching --stream ended--> backing off --timer-->
///      ^               ^                                  |          |
///      |               +-------- version checked ---------+          |
///      +------------- 410, or a page failed -------------------------+
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
  void start_list();
  void on_page(const api_response& a);
  void on_stream_opened(const stream_opened& s);
  void on_stream_accepted(const stream_accepted& s);
  void on_events_arrived(const events_arrived& e);
  void on_stream_ended(const stream_ended& e);
  void on_timer(const timer_fired& fired);
  report_ptr report() const;

private:
  enum class phase { listing, checking, watching, backing_off };

  /// null without a time.
  nlohmann::json
  seconds_since(const std::optional<caf::actor_clock::time_point>& when) const;
  k8s::selection make_selection() const;
  k8s::object_detail watched_detail() const;
  void request_page(const std::string& token);
  void open_watch_stream();
  /// The watch has failed.
  void count_watch_failure_and_retry(const k8s::failure& why);
  void schedule_watch_retry(const k8s::failure& why);
  void close_stream();
  /// If the stream has been open long enough: resets the failure counters and
  /// returns true.
  bool reset_failures_if_stream_is_stable();
  /// Of the latest list, to all directories.
  void send_list_complete(std::uint64_t version);
  void report_synced_once();
  /// 404: the server does not know the resource (its CRD is not installed).
  void treat_not_found_as_empty_list_and_retry(const k8s::failure& why);
  /// 403: listing the resource is forbidden.
  void handle_list_forbidden(const k8s::failure& why);
  /// Asks for the server's version, with a list of at most one object.
  void request_version();
  void on_version(const k8s::result<std::string>& answer);
  void report_server_went_back(std::uint64_t version);
  /// The same page again, with fewer objects.
  void request_smaller_page();
  /// The next page, after one of so many bytes.
  void adapt_page_to(std::size_t bytes);
  /// This list has shown so many objects more.
  void note_progress_of_list(std::size_t objects);
  /// An object of a list or an event, readable or not. True: it has to be
  /// listed again.
  bool handle_object(const k8s::object_ptr& item, bool gone);
  /// True if it is told for the first time.
  bool tell_unreadable_once(const k8s::object& item);
  void send_object_to_directories(const k8s::object_ptr& item, bool gone);
  void tell_who_awaits_name(const k8s::object& gone);
  template <class Fact>
  void send_to_directory_of_child(const Fact& fact);
  /// Of pods whose jobs may be asked for something.
  bool records_pod_addresses() const;
  /// Invalidates the replies to earlier requests.
  std::uint64_t next_request_epoch() { return ++epoch_; }

  watcher_actor::pointer self_;
  context_ptr context_;
  watcher_config config_;
  directory_shards directories_;
  sync_listener_actor listener_;
  watch_meter* meter_ = nullptr; ///< Of this resource, owned by `metrics`.
  phase phase_ = phase::backing_off;
  bool must_relist_ = true;         ///< The next step is a list, not a watch.
  bool may_have_gone_back_ = false; ///< The server could not be reached.
  bool heard_ = false;              ///< Something came on this stream.
  int silent_streams_ = 0;          ///< In a row.
  bool synced_ = false;
  std::uint64_t epoch_ = 0;
  std::uint64_t list_number_ = 0;
  std::string page_token_;            ///< Of the page that is asked for.
  int page_objects_ = 0;              ///< At most, in it.
  std::set<std::string> unreadable_;  ///< UIDs of objects that were told.
  std::uint64_t version_ = 0;         ///< Resume after this one.
  int failures_ = 0;                  ///< Consecutive.
  int lists_since_stable_stream_ = 0; ///< Since the last stable stream.
  std::string unavailable_; ///< Why the resource cannot be listed, or "".
  std::string last_failure_;
  stream_ptr session_;
  std::optional<caf::actor_clock::time_point> accepted_at_;
  /// Since when a watch is wanted and none is accepted, and no list has shown
  /// more than those before it. (A list of many objects may take minutes; one
  /// after another, none of which leads to a watch, may not.)
  std::optional<caf::actor_clock::time_point> unwatched_since_;
  std::size_t objects_listed_ = 0;      ///< In this list, until now.
  std::size_t most_objects_listed_ = 0; ///< In one, since the last watch.
  /// The last event, bookmark or end of a list; nullopt: nothing was listed.
  std::optional<caf::actor_clock::time_point> current_at_;
};

watcher_actor::behavior_type
watcher(self_pointer<watcher_actor, watcher_state> self, context_ptr context,
        watcher_config config, directory_shards to,
        sync_listener_actor listener);

} // namespace troupe::actors
