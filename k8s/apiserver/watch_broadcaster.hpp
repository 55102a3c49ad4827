#pragma once

#include "k8s/apiserver/resource_registry.hpp"
#include "k8s/apiserver/selectors.hpp"
#include "k8s/apiserver/store.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
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
  /// The object as this client sees it, null if it cannot be shown: the watch
  /// ends. Without it objects are shown as they are stored.
  std::function<stored_object_ptr(const stored_object_ptr&)> view;
  /// How objects are rendered if not by their stored text (tables, other
  /// versions).
  std::function<std::string(const stored_object&)> render;
};

/// Where its lines go. `lines` may get several at once, each with its '\n'.
struct watch_callbacks {
  std::function<void(const std::string& lines)> lines;
  std::function<void()> ended;
};

/// Sends each change to the watchers that selected it. Single-threaded.
/// Callbacks may write to the store: the changes they cause are sent
/// afterwards, in order.
class watch_broadcaster {
public:
  class watcher;
  using watcher_ptr = std::shared_ptr<watcher>;

  /// Adds a watcher; the watch ends with remove_watcher or at its end time.
  /// Earlier changes are sent by the caller, with send_change.
  watcher_ptr add_watcher(watch_request w, watch_callbacks e);
  void remove_watcher(const watcher_ptr& w);

  /// Sends an earlier change to one watcher.
  void send_change(watcher& w, const change& c);

  void queue_and_broadcast(const change_ptr& c);

  /// Ends watches that have reached their end time; sends a bookmark to those
  /// that have had none for a minute.
  void end_expired_and_send_bookmarks(time_point now, std::uint64_t version);

  std::size_t size() const { return watchers_.size(); }

private:
  /// The lines of one change, made once for all who watch.
  struct rendered {
    std::string lines[3];
  };

  void send_to_watchers(const change& c);
  void send_if_selected(watcher& w, const change& c, rendered& shared);
  void send_as_viewed(watcher& w, const change& c);
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
};

/// {"type":"ADDED","object":...} and '\n'.
std::string watch_event_line(const char* type, const std::string& object);
/// A bookmark; `initial_end` marks the end of the initial events.
std::string bookmark_line(const served_resource& type, std::uint64_t version,
                          bool initial_end);

} // namespace troupe::k8s::apiserver
