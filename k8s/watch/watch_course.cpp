#include "k8s/watch/watch_course.hpp"

#include <algorithm>
#include <utility>

namespace troupe::k8s {

namespace {

constexpr int failures_that_are_told = 3;

watch_course::step step_to(watch_course::action what) {
  watch_course::step s;
  s.what = what;
  return s;
}

} // namespace

watch_course::step watch_course::begin() {
  return begin_list();
}

watch_course::step watch_course::begin_list() {
  phase_ = phase::listing;
  accepted_at_.reset();
  silent_watches_ = 0;
  objects_listed_ = 0;
  page_.token.clear();
  set_page_limits(limits_.page_objects);
  return step_to(action::list);
}

watch_course::step watch_course::ask_version() {
  phase_ = phase::checking;
  page_.token.clear();
  set_page_limits(1);
  return step_to(action::ask_version);
}

watch_course::step watch_course::begin_watch(time_point now) {
  phase_ = phase::watching;
  accepted_at_.reset();
  heard_ = false;
  if (!unwatched_since_)
    unwatched_since_ = now;
  return step_to(action::watch);
}

watch_course::step watch_course::on_wait_over(time_point now) {
  if (lists_next())
    return begin_list();
  return may_have_gone_back_ ? ask_version() : begin_watch(now);
}

// -- lists --------------------------------------------------------------------

void watch_course::set_page_limits(int objects) {
  page_.objects = objects;
  // One object has to be read, however large it is.
  page_.bytes = objects > 1 ? limits_.page_bytes : 0;
}

watch_course::step watch_course::ask_for_smaller_page() {
  set_page_limits(std::max(1, page_.objects / 8));
  return step_to(action::next_page);
}

/// After one of so many bytes.
void watch_course::grow_page_after_small_one(std::size_t bytes) {
  if (bytes < limits_.page_bytes / 4)
    set_page_limits(std::min(page_.objects * 2, limits_.page_objects));
}

void watch_course::note_progress_of_list(std::size_t objects, time_point now) {
  objects_listed_ += objects;
  if (objects_listed_ <= most_objects_listed_)
    return;
  most_objects_listed_ = objects_listed_;
  if (unwatched_since_)
    unwatched_since_ = now;
}

watch_course::step watch_course::on_page(const page_summary& page,
                                         time_point now) {
  if (phase_ == phase::listing) {
    grow_page_after_small_one(page.bytes);
    note_progress_of_list(page.objects, now);
    if (!page.next_token.empty()) {
      page_.token = page.next_token;
      return step_to(action::next_page);
    }
  }
  if (is_older_than_known(page.list_version)) {
    auto s = step_to(action::begin_anew);
    s.server_version = page.list_version;
    return s;
  }
  may_have_gone_back_ = false;
  return phase_ == phase::listing ? on_last_page(page.list_version, now)
                                  : begin_watch(now);
}

watch_course::step watch_course::on_last_page(std::uint64_t list_version,
                                              time_point now) {
  version_ = list_version;
  current_at_ = now;
  must_list_ = false;
  failures_ = 0;
  ++lists_since_stable_watch_;
  auto s = begin_watch(now);
  if (!std::exchange(unavailable_, "").empty())
    s.tell = news::listed_again;
  count_as_complete(s, version_);
  return s;
}

void watch_course::count_as_complete(step& s, std::uint64_t version) {
  s.complete = version;
  count_as_synced(s);
}

void watch_course::count_as_synced(step& s) {
  s.first_synced = !std::exchange(synced_, true);
}

watch_course::step watch_course::on_page_failed(const failure& why,
                                                time_point now) {
  if (phase_ == phase::checking) {
    // A list says what it means that there is no such resource, or no right.
    must_list_ = !why.is_retryable() || why.code == ec::forbidden;
    return wait_after(why, now);
  }
  if (why.code == ec::too_large && page_.objects > 1)
    return ask_for_smaller_page();
  if (why.code == ec::not_found)
    return on_list_not_found(why, now);
  if (why.code == ec::forbidden)
    return on_list_forbidden(why, now);
  return wait_after(why, now);
}

watch_course::step watch_course::on_list_not_found(const failure& why,
                                                   time_point now) {
  bool is_first = !synced_;
  // Without a definition there are no objects. If the resource was listed
  // before, wait: a starting API server answers 404 until it has loaded its
  // definitions.
  bool is_empty = is_first || failures_ >= limits_.most_not_found;
  unavailable_ = "no such resource";
  current_at_.reset();
  auto s = wait_after(why, now);
  if (is_first)
    s.tell = news::not_found;
  if (is_empty)
    count_as_complete(s, version_);
  return s;
}

watch_course::step watch_course::on_list_forbidden(const failure& why,
                                                   time_point now) {
  bool is_new = std::exchange(unavailable_, "forbidden") != "forbidden";
  auto s = wait_after(why, now);
  if (is_new)
    s.tell = news::forbidden;
  if (limits_.if_forbidden == forbidden_list::is_awaited)
    return s;
  // Version 0 removes nothing.
  if (!synced_ && limits_.if_forbidden == forbidden_list::counts_as_empty)
    s.complete = 0;
  count_as_synced(s);
  return s;
}

// -- watches ------------------------------------------------------------------

void watch_course::on_watch_accepted(time_point now) {
  accepted_at_ = now;
  unwatched_since_.reset();
  most_objects_listed_ = 0;
}

bool watch_course::reset_failures_if_watch_is_stable(time_point now) {
  if (!accepted_at_ || now - *accepted_at_ < limits_.shortest_watch)
    return false;
  failures_ = 0;
  lists_since_stable_watch_ = 0;
  return true;
}

void watch_course::on_events(time_point now) {
  reset_failures_if_watch_is_stable(now);
  current_at_ = now;
  heard_ = true;
  silent_watches_ = 0;
}

std::optional<watch_course::step>
watch_course::on_bookmark(std::uint64_t bookmark, time_point now) {
  if (is_older_than_known(bookmark))
    return wait_and_then_list(
        {ec::expired, "the server's version is older than ours"}, now);
  on_object(bookmark);
  return std::nullopt;
}

watch_course::step watch_course::on_error_event(int code,
                                                const std::string& message,
                                                time_point now) {
  // 410: the version is too old. After any other error the position in the
  // stream is unknown.
  return wait_and_then_list({code == 410 ? ec::expired : ec::garbage, message},
                            now);
}

watch_course::step watch_course::on_damaged_event(const std::string& why,
                                                  time_point now) {
  return wait_and_then_list({ec::garbage, why}, now);
}

watch_course::step watch_course::wait_and_then_list(const failure& why,
                                                    time_point now) {
  must_list_ = true;
  return wait_after(why, now);
}

watch_course::step watch_course::on_watch_ended(const result<nothing>& outcome,
                                                time_point now) {
  if (outcome)
    return reset_failures_if_watch_is_stable(now)
               ? begin_watch(now) // The server ended it, at timeoutSeconds.
               : wait_after(
                   {ec::unreachable, "the server closes the watch at once"},
                   now);
  const auto& why = outcome.error();
  bool was_silent = why.code == ec::timeout && accepted_at_ && !heard_
                    && ++silent_watches_ >= limits_.most_silent_watches;
  if (why.code == ec::unreachable || why.code == ec::timeout)
    may_have_gone_back_ = true;
  if (why.code == ec::expired || why.code == ec::garbage || was_silent)
    must_list_ = true;
  return wait_after(why, now);
}

watch_course::step watch_course::wait_after(const failure& why,
                                            time_point now) {
  reset_failures_if_watch_is_stable(now);
  bool was_listing = phase_ == phase::listing;
  phase_ = phase::waiting;
  accepted_at_.reset();
  last_failure_ = why.message;
  ++failures_;
  if (!unavailable_.empty())
    unwatched_since_.reset(); // There is nothing to watch, or it is forbidden.
  else if (!unwatched_since_)
    unwatched_since_ = now;
  auto s = step_to(action::wait);
  s.why = why;
  // 410 after a watch is normal; 410 right after a list is a failure. So the
  // lists since the last stable watch count as attempts, too.
  bool stale = why.code == ec::expired && !was_listing;
  s.attempt = stale ? lists_since_stable_watch_ + 1
                    : std::max(failures_, lists_since_stable_watch_);
  if (failures_ == failures_that_are_told && unavailable_.empty())
    s.tell = news::keeps_failing;
  return s;
}

} // namespace troupe::k8s
