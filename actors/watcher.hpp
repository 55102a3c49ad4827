#pragma once

#include "actors/protocols.hpp"
#include "k8s/calls.hpp"

#include <optional>
#include <string>

namespace troupe::actors {

/// What one watcher is for.
struct watcher_config {
  std::size_t number = 0; ///< For sync news.
  watch_target about;
  k8s::resource resource;
  std::string label_selector;
};

/// Keeps the directory informed of one subject: lists in pages, watches from
/// the list's version on, resumes after a break from the last version seen and
/// lists again when the server has forgotten it. Turns lists and watches into
/// the same facts, so nothing downstream knows the difference; remembers no
/// object.
///
///   listing --last page--> watching --stream over--> resting --wake-->
///      ^                                                |        |
///      +------------- 410, or a page failed ------------+--------+
///
/// A kind of jobs that may not be listed (403) holds up nobody: it counts as
/// told, and is asked for again, each minute in the end. So does an auxiliary
/// object that may not be listed, for only jobs that need it suffer, and each
/// is told what it lacks when its own is to be made. Pods and services are
/// another matter: every job has them, so the operator does not become ready.
class watcher_state {
public:
  static inline const char* name = "watcher";

  explicit watcher_state(watcher_actor::pointer self)
      : self_(self) {}

  void init(context_ptr context, watcher_config config, directory_actor to,
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
  enum class phase { listing, watching, backing_off };

  k8s::selection watched_objects() const;
  k8s::object_detail watched_detail() const;
  void request_page(const std::string& token);
  void watch();
  void back_off(const k8s::failure& why);
  void drop_stream();
  /// Whether the stream has lived long enough; failures before it are history.
  bool reset_failures_if_stream_is_stable();
  void send_list_complete();
  void report_synced_once();
  /// The server does not know the resource (a definition is not installed).
  void handle_not_found(const k8s::failure& why);
  /// The server does not let us list the resource.
  void handle_forbidden(const k8s::failure& why);
  void notify_directory(const k8s::object_ptr& item, bool gone);
  /// What was under way in earlier turns does not count any more.
  std::uint64_t next_epoch() { return ++epoch_; }

  watcher_actor::pointer self_;
  context_ptr context_;
  watcher_config config_;
  directory_actor directory_;
  sync_listener_actor listener_;
  phase phase_ = phase::backing_off;
  bool must_relist_ = true; ///< Resuming is impossible.
  bool synced_ = false;
  std::uint64_t epoch_ = 0;
  std::uint64_t list_number_ = 0;
  std::uint64_t version_ = 0;         ///< Resume after this one.
  int failures_ = 0;                  ///< In a row.
  int lists_since_stable_stream_ = 0; ///< Since a stream has held.
  std::string unavailable_; ///< Why the resource is not there for us, or "".
  std::string last_failure_;
  stream_ptr session_;
  std::optional<caf::actor_clock::time_point> accepted_at_;
};

watcher_actor::behavior_type
watcher(watcher_actor::stateful_pointer<watcher_state> self,
        context_ptr context, watcher_config config, directory_actor to,
        sync_listener_actor listener);

} // namespace troupe::actors
