#pragma once

#include "k8s/apiserver/resources/served_resource.hpp"
#include "k8s/apiserver/storage/selectors.hpp"
#include "k8s/apiserver/storage/store.hpp"

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe::k8s::apiserver {

/// What one watcher wants to see.
struct watch_request {
  resource_ptr type;
  std::string ns; ///< "" means all.
  selector chosen;
  std::uint64_t resource_version = 0; ///< Changes after this one.
  bool bookmarks = false;
  std::optional<time_point> end;
  /// The object as this client sees it; null if it cannot be shown, which ends
  /// the watch. Without `view` objects are shown as they are stored.
  std::function<stored_object_ptr(const stored_object_ptr&)> view;
  /// How objects are rendered if not by their stored text (tables, other
  /// versions).
  std::function<std::string(const stored_object_ptr&)> render;
};

/// Receives its lines. `lines` may get several at once, each with its '\n'.
struct watch_callbacks {
  std::function<void(const std::string& lines)> lines;
  std::function<void()> ended;
  /// Whether the client takes more lines now; null: always. When it does so
  /// again, send_queued_changes has to be called.
  std::function<bool()> is_ready = nullptr;
};

/// Sends each change to the watchers that selected it. A watcher that takes
/// lines more slowly than changes come gets the last state of an object without
/// the states in between. Single-threaded. Callbacks may write to the store:
/// the changes they cause are sent afterwards, in order.
class watch_broadcaster {
public:
  class watcher;
  using watcher_ptr = std::shared_ptr<watcher>;

  /// Adds a watcher; the watch ends with remove_watcher or at its end time.
  watcher_ptr add_watcher(watch_request w, watch_callbacks e);
  void remove_watcher(const watcher_ptr& w);

  /// Sends a new watcher earlier changes, in their order, then `line`, if there
  /// is one.
  void send_earlier_changes(watcher& w, const std::vector<change_ptr>& earlier,
                            std::string line);

  /// Sends the changes that wait for a watcher that takes lines again.
  void send_queued_changes(watcher& w);

  void broadcast_change(const change_ptr& c);

  /// Ends watches that have reached their end time; sends a bookmark to those
  /// that have had none for a minute, or will end in two seconds.
  void end_expired_and_send_bookmarks(time_point now, std::uint64_t version);

  std::size_t size() const { return watchers_.size(); }

private:
  /// The lines of one change, made once for all watchers.
  struct rendered {
    std::string lines[3];
  };

  void send_change_to_watchers(const change_ptr& c);
  void send_queue_or_end_watch(watcher& w, const change_ptr& c,
                               rendered& shared);
  void send_change_if_selected(watcher& w, const change& c, rendered& shared);
  void send_converted_or_end_watch(watcher& w, const change& c);
  void erase_closed_watchers();

  std::vector<watcher_ptr> watchers_;
  std::deque<change_ptr> pending_;
  bool is_sending_ = false;
};

class watch_broadcaster::watcher {
public:
  watch_request request;
  watch_callbacks callbacks;
  bool is_open = true;
  std::optional<time_point> last_bookmark;
  bool is_near_end = false; ///< Its last bookmark is due or sent.

  bool is_ready() const { return !callbacks.is_ready || callbacks.is_ready(); }

  /// A change, or a line.
  struct waiting_item {
    change_ptr changed;
    std::string line;
  };

  bool has_waiting() const { return !waiting_.empty(); }
  /// Queues an item from before the watch: each of these is sent.
  void queue_earlier_item(waiting_item item);
  /// Queues a change. It is merged with one of the same object that waits.
  void queue_or_merge_change(const change_ptr& c);
  waiting_item take_first();
  void drop_waiting_events_and_end();
  /// Whether more objects have changed than a client may leave waiting.
  bool is_too_slow() const;

private:
  std::list<waiting_item> waiting_; ///< Until the client takes more.
  std::size_t first_items_ = 0;     ///< How many waited at the beginning.
  /// The last of the other items about each object, by its key.
  std::unordered_map<std::string, std::list<waiting_item>::iterator>
      last_about_;
};

/// {"type":"ADDED","object":...} and '\n'.
std::string watch_event_line(const char* type, const std::string& object);
/// A bookmark in the form of the watch; `initial_end` marks the end of the
/// initial events.
std::string bookmark_line(const watch_request& w, std::uint64_t version,
                          bool initial_end);

} // namespace troupe::k8s::apiserver
