#include "k8s/apiserver/state/watch_broadcaster.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::k8s::apiserver {

namespace {

constexpr auto bookmark_period = std::chrono::seconds{60};
/// How long before its end a watch gets a last bookmark.
constexpr auto last_bookmark_lead = std::chrono::seconds{2};
/// Objects whose last change waits for a slow client.
constexpr std::size_t most_waiting = 20000;
constexpr const char* type_names[] = {"ADDED", "MODIFIED", "DELETED"};

bool is_in_namespace(const change& c, const std::string& ns) {
  return ns.empty()
         || (c.key.size() > ns.size() && c.key[ns.size()] == '/'
             && c.key.compare(0, ns.size(), ns) == 0);
}

/// What a change is to someone who sees only what `s` selects: an object that
/// enters the selection is added, one that leaves it is deleted.
std::optional<change::kind> watch_event_type_for_selector(const selector& s,
                                                          const change& c) {
  using kind = change::kind;
  if (s.empty())
    return c.type;
  bool was = c.before && s.matches(*c.before);
  bool is = c.type != kind::deleted && s.matches(*c.after);
  if (was && is)
    return kind::modified;
  if (is)
    return kind::added;
  if (was)
    return kind::deleted;
  return std::nullopt;
}

/// Whether an object is deleted only for those who select it no longer.
bool is_selection_exit(change::kind seen_as, const change& c) {
  return seen_as == change::kind::deleted && c.type != change::kind::deleted;
}

/// The object as it was last selected, with the version of the change.
stored_object_ptr last_selected_object(const change& c) {
  json value = c.before->value();
  value["metadata"]["resourceVersion"] = std::to_string(c.resource_version);
  return std::make_shared<const stored_object>(std::move(value),
                                               c.resource_version);
}

/// What two changes of an object are together to someone who has seen neither;
/// null for one that has come and gone.
change_ptr merge_changes_or_null(const change& first, const change& second) {
  using kind = change::kind;
  if (first.type == kind::added && second.type == kind::deleted)
    return nullptr;
  auto both = second;
  both.before = first.before;
  if (first.type == kind::added)
    both.type = kind::added;
  return std::make_shared<const change>(std::move(both));
}

std::string stored_object_line(const char* type, const stored_object& object) {
  std::string out;
  out.reserve(object.text_size() + 40);
  out.append("{\"type\":\"").append(type).append("\",\"object\":");
  object.append_text_to(out);
  return out += "}\n";
}

std::string render_watched_object(const watch_request& w,
                                  const stored_object_ptr& object) {
  return w.render ? w.render(object) : object->text();
}

} // namespace

std::string watch_event_line(const char* type, const std::string& object) {
  std::string out;
  out.reserve(object.size() + 40);
  return out.append("{\"type\":\"")
      .append(type)
      .append("\",\"object\":")
      .append(object)
      .append("}\n");
}

stored_object_ptr bookmark_object(const served_resource& type,
                                  std::uint64_t version, bool initial_end) {
  json value{{"kind", type.name.kind},
             {"apiVersion", type.name.api_version()},
             {"metadata", {{"resourceVersion", std::to_string(version)}}}};
  if (initial_end)
    value["metadata"]["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  return std::make_shared<const stored_object>(std::move(value), version);
}

std::string bookmark_line(const watch_request& w, std::uint64_t version,
                          bool initial_end) {
  return watch_event_line(
      "BOOKMARK",
      render_watched_object(w, bookmark_object(*w.type, version, initial_end)));
}

watch_broadcaster::watcher_ptr
watch_broadcaster::add_watcher(watch_request w, watch_callbacks e) {
  auto added = std::make_shared<watcher>();
  added->request = std::move(w);
  added->callbacks = std::move(e);
  watchers_.push_back(added);
  return added;
}

void watch_broadcaster::remove_watcher(const watcher_ptr& w) {
  w->is_open = false;
  if (!is_sending_)
    erase_closed_watchers();
}

void watch_broadcaster::watcher::queue_earlier_item(waiting_item item) {
  waiting_.push_back(std::move(item));
  first_items_ = waiting_.size();
}

void watch_broadcaster::watcher::queue_or_merge_change(const change_ptr& c) {
  auto next = c;
  auto last = last_about_.find(c->key);
  // One that was deleted and made again is another object.
  if (last != last_about_.end() && c->type != change::kind::added) {
    next = merge_changes_or_null(*last->second->changed, *c);
    waiting_.erase(last->second);
    last_about_.erase(last);
  }
  if (!next)
    return;
  waiting_.push_back({next, {}});
  last_about_[next->key] = std::prev(waiting_.end());
}

watch_broadcaster::watcher::waiting_item
watch_broadcaster::watcher::take_first() {
  auto first = waiting_.begin();
  if (first->changed)
    if (auto last = last_about_.find(first->changed->key);
        last != last_about_.end() && last->second == first)
      last_about_.erase(last);
  auto item = std::move(*first);
  waiting_.erase(first);
  return item;
}

void watch_broadcaster::watcher::drop_waiting_events_and_end() {
  last_about_.clear();
  waiting_.clear();
  is_open = false;
  callbacks.ended();
}

bool watch_broadcaster::watcher::is_too_slow() const {
  return waiting_.size() > first_items_ + most_waiting;
}

void watch_broadcaster::send_earlier_changes(
    watcher& w, const std::vector<change_ptr>& earlier, std::string line) {
  // All of it before what the callbacks may cause.
  for (const auto& c : earlier)
    w.queue_earlier_item({c, {}});
  if (!line.empty())
    w.queue_earlier_item({nullptr, std::move(line)});
  send_queued_changes(w);
}

void watch_broadcaster::send_queue_or_end_watch(watcher& w, const change_ptr& c,
                                                rendered& shared) {
  if (!w.has_waiting() && w.is_ready())
    return send_change_if_selected(w, *c, shared);
  if (!is_in_namespace(*c, w.request.ns))
    return;
  w.queue_or_merge_change(c);
  if (w.is_too_slow())
    w.drop_waiting_events_and_end();
}

void watch_broadcaster::send_queued_changes(watcher& w) {
  while (w.is_open && w.has_waiting() && w.is_ready()) {
    auto next = w.take_first();
    rendered own;
    if (next.changed)
      send_change_if_selected(w, *next.changed, own);
    else
      w.callbacks.lines(next.line);
  }
}

void watch_broadcaster::broadcast_change(const change_ptr& c) {
  pending_.push_back(c);
  if (is_sending_)
    return;
  is_sending_ = true;
  while (!pending_.empty()) {
    auto next = std::move(pending_.front());
    pending_.pop_front();
    send_change_to_watchers(next);
  }
  is_sending_ = false;
  erase_closed_watchers();
}

void watch_broadcaster::send_change_to_watchers(const change_ptr& c) {
  rendered shared;
  // By index: a callback may open further watches. Those begin after this
  // change.
  for (std::size_t i = 0; i < watchers_.size(); ++i) {
    auto w = watchers_[i];
    if (w->is_open && w->request.type->bucket == c->bucket)
      send_queue_or_end_watch(*w, c, shared);
  }
}

void watch_broadcaster::send_change_if_selected(watcher& w, const change& c,
                                                rendered& shared) {
  if (c.resource_version <= w.request.resource_version
      || !is_in_namespace(c, w.request.ns))
    return;
  w.request.resource_version = c.resource_version;
  if (w.request.view)
    return send_converted_or_end_watch(w, c);
  auto what = watch_event_type_for_selector(w.request.chosen, c);
  if (!what)
    return;
  auto index = static_cast<std::size_t>(*what);
  if (is_selection_exit(*what, c))
    return w.callbacks.lines(watch_event_line(
        type_names[index],
        render_watched_object(w.request, last_selected_object(c))));
  if (w.request.render)
    return w.callbacks.lines(
        watch_event_line(type_names[index], w.request.render(c.after)));
  auto& line = shared.lines[index];
  if (line.empty())
    line = stored_object_line(type_names[index], *c.after);
  w.callbacks.lines(line);
}

void watch_broadcaster::send_converted_or_end_watch(watcher& w,
                                                    const change& c) {
  change seen = c;
  for (auto* object : {&seen.before, &seen.after}) {
    if (!*object)
      continue;
    *object = w.request.view(*object);
    if (*object)
      continue;
    w.is_open = false;
    w.callbacks.ended();
    return;
  }
  auto what = watch_event_type_for_selector(w.request.chosen, seen);
  if (!what)
    return;
  auto shown =
      is_selection_exit(*what, seen) ? last_selected_object(seen) : seen.after;
  w.callbacks.lines(
      watch_event_line(type_names[static_cast<std::size_t>(*what)],
                       render_watched_object(w.request, shown)));
}

void watch_broadcaster::end_expired_and_send_bookmarks(time_point now,
                                                       std::uint64_t version) {
  is_sending_ = true;
  for (std::size_t i = 0; i < watchers_.size(); ++i) {
    auto w = watchers_[i];
    if (!w->is_open)
      continue;
    if (w->request.end && now >= *w->request.end) {
      w->is_open = false;
      w->callbacks.ended();
      continue;
    }
    if (!w->last_bookmark)
      w->last_bookmark = now;
    bool is_last = w->request.end && now + last_bookmark_lead >= *w->request.end
                   && !std::exchange(w->is_near_end, true);
    if (!w->request.bookmarks
        || (now - *w->last_bookmark < bookmark_period && !is_last)
        || !pending_.empty() || w->has_waiting())
      continue;
    w->last_bookmark = now;
    w->callbacks.lines(bookmark_line(w->request, version, false));
  }
  is_sending_ = false;
  erase_closed_watchers();
  if (!pending_.empty()) {
    auto next = pending_.back();
    pending_.pop_back();
    broadcast_change(next);
  }
}

void watch_broadcaster::erase_closed_watchers() {
  watchers_.erase(std::remove_if(watchers_.begin(), watchers_.end(),
                                 [](const auto& w) { return !w->is_open; }),
                  watchers_.end());
}

} // namespace troupe::k8s::apiserver
