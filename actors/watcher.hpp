#pragma once

#include "actors/protocols.hpp"

#include <string>

namespace troupe::actors {

/// What one watcher is for.
struct watcher_task {
  std::size_t number = 0; ///< For sync news.
  subject about;
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
class watcher_state {
public:
  static inline const char* name = "watcher";

  explicit watcher_state(watcher_actor::pointer self)
      : self_(self) {}

  void begin(links_ptr out, watcher_task task, directory_actor to,
             sync_listener_actor listener);
  void list();
  void page_arrived(const api_answer& a);
  void stream_is_open(const stream_opened& s);
  void events(const events_arrived& e);
  void stream_is_over(const stream_ended& e);
  void woke(const woke_up& w);
  report_ptr report() const;

private:
  enum class phase { listing, watching, resting };

  k8s::content keep() const;
  void ask_for_page(const std::string& token);
  void watch();
  void rest(const k8s::failure& why);
  void say_synced();
  /// The server does not know the resource (a definition is not installed).
  void wait_for_definition(const k8s::failure& why);
  void tell(const k8s::object_ptr& item, bool gone);
  /// What was under way in earlier turns does not count any more.
  std::uint64_t next_turn() { return ++turn_; }

  watcher_actor::pointer self_;
  links_ptr out_;
  watcher_task task_;
  directory_actor directory_;
  sync_listener_actor listener_;
  phase phase_ = phase::resting;
  bool must_list_ = true; ///< Resuming is impossible.
  bool synced_ = false;
  std::uint64_t turn_ = 0;
  std::uint64_t listing_ = 0;
  std::uint64_t version_ = 0; ///< Resume after this one.
  int failures_ = 0;          ///< In a row.
  std::string last_failure_;
  stream_ptr session_;
  caf::actor_clock::time_point opened_at_{};
};

watcher_actor::behavior_type
watcher(watcher_actor::stateful_pointer<watcher_state> self, links_ptr out,
        watcher_task task, directory_actor to, sync_listener_actor listener);

} // namespace troupe::actors
