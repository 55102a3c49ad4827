#pragma once

#include "k8s/result.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace troupe::k8s {

/// Decides how one selection is listed and watched: what to ask the API server
/// for next, and what each answer means. A value: no request, no timer, no
/// clock; `now` is an argument. Its follower does what the last step says, and
/// reports what came of that, and nothing about earlier requests.
///
///   listing --last page--> watching --watch ended--> waiting --+--> listing
///                             ^                                |
///                             +---------------- checking <-----+
///                             +--------------------------------+
///
/// A watch is resumed from the last version seen. Everything is listed again if
/// that version has expired (410), if events may be missing (an error event, or
/// one that could not be read), or if two watches in a row brought nothing, not
/// even a bookmark.
///
/// An API server that was restored from a backup has an older version than the
/// last one seen. It accepts a watch from a version that it does not have yet,
/// and omits all changes until it has reached that version. So after the server
/// could not be reached, a list of one object asks for its version before the
/// watch is resumed.
class watch_course {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// What a forbidden list (403) means.
  enum class forbidden_list : std::uint8_t {
    /// The objects are needed: the list is tried until it succeeds.
    is_awaited,
    counts_as_listed, ///< What is known is kept.
    /// The same, and before the first list there are no objects.
    counts_as_empty,
  };

  struct limits {
    int page_objects = 500; ///< Objects in one page, at most.
    /// Bytes of one page, at most; 0: no limit. A page that would be larger is
    /// asked for again with fewer objects.
    std::size_t page_bytes = 0;
    forbidden_list if_forbidden = forbidden_list::is_awaited;
    /// A watch that ends sooner counts as failed.
    std::chrono::milliseconds shortest_watch{1'000};
    /// After this number of watches in a row without any event, everything is
    /// listed.
    int most_silent_watches = 2;
    /// A resource that was listed before counts as removed when more than this
    /// number of requests in a row have been answered 404. With the delays of
    /// the operator's watchers that takes about a minute.
    int most_not_found = 9;
  };

  enum class phase : std::uint8_t { listing, checking, watching, waiting };

  enum class action : std::uint8_t {
    list,        ///< Begin a new list: ask for `page()`.
    next_page,   ///< Go on with the list: ask for `page()`.
    ask_version, ///< Ask for `page()`; its objects are of no interest.
    watch,       ///< Watch from `version()` on.
    wait,        ///< Call `on_wait_over` after a delay.
    /// The server went back to `server_version`. All that is known has become
    /// invalid: the follower and its users forget it, and another course
    /// begins.
    begin_anew,
  };

  /// News for a person, to be reported at once.
  enum class news : std::uint8_t {
    none,
    not_found,     ///< The server does not know the resource.
    forbidden,     ///< The resource may not be listed.
    keeps_failing, ///< Three times in a row.
    listed_again,  ///< After one of the first two.
  };

  /// What to do next.
  struct step {
    action what = action::wait;
    /// wait: the failure, and how many there were in a row (from 1). The delay
    /// follows from both.
    failure why = {};
    int attempt = 0;
    std::uint64_t server_version = 0; ///< begin_anew.
    /// A list is complete: every object that was not in it, and is not newer
    /// than this version, is gone.
    std::optional<std::uint64_t> complete = std::nullopt;
    bool first_synced = false; ///< All objects are known, for the first time.
    news tell = news::none;
  };

  /// A page to ask for.
  struct page_request {
    std::string token;     ///< "": the first page.
    int objects = 0;       ///< At most.
    std::size_t bytes = 0; ///< At most; 0: no limit.
  };

  /// A page that was received. Its objects have been read before the course is
  /// told of it.
  struct page_summary {
    std::size_t objects = 0;
    std::size_t bytes = 0;
    std::string next_token;         ///< "": this is the last page.
    std::uint64_t list_version = 0; ///< 0: unknown.
  };

  watch_course() = default;
  explicit watch_course(limits l)
      : limits_(l) {}

  /// The first step.
  step begin();
  step on_page(const page_summary& page, time_point now);
  /// The page could not be fetched, or could not be read.
  step on_page_failed(const failure& why, time_point now);
  void on_watch_accepted(time_point now);
  /// Some events have come; a call for each of them follows.
  void on_events(time_point now);
  /// An object was added, changed or deleted.
  void on_object(std::uint64_t object_version) {
    if (object_version > version_)
      version_ = object_version;
  }
  /// nullopt: the watch goes on.
  std::optional<step> on_bookmark(std::uint64_t bookmark, time_point now);
  /// `code` is the Status' code. Ends the watch.
  step on_error_event(int code, const std::string& message, time_point now);
  /// An event cannot be read, perhaps because it was damaged on its way. Ends
  /// the watch.
  step on_damaged_event(const std::string& why, time_point now);
  step on_watch_ended(const result<nothing>& outcome, time_point now);
  step on_wait_over(time_point now);

  phase current_phase() const { return phase_; }
  const page_request& page() const { return page_; }
  std::uint64_t version() const { return version_; }
  bool lists_next() const { return must_list_ || version_ == 0; }
  int failures() const { return failures_; }
  const std::string& last_failure() const { return last_failure_; }
  /// Why the resource cannot be listed, or "".
  const std::string& why_unavailable() const { return unavailable_; }
  /// Since when a watch has been wanted and not accepted, and no list has shown
  /// more objects than those before it. (One list of many objects may take
  /// minutes. Lists one after another, none of which leads to a watch, may
  /// not.)
  std::optional<time_point> unwatched_since() const { return unwatched_since_; }
  /// The time of the last event, bookmark or end of a list; nullopt: nothing
  /// was listed.
  std::optional<time_point> current_at() const { return current_at_; }

private:
  step begin_list();
  step begin_watch(time_point now);
  step ask_version();
  step wait_after(const failure& why, time_point now);
  step on_list_not_found(const failure& why, time_point now);
  step on_list_forbidden(const failure& why, time_point now);
  step on_last_page(std::uint64_t list_version, time_point now);
  step wait_and_then_list(const failure& why, time_point now);
  step ask_for_smaller_page();
  bool is_older_than_known(std::uint64_t version) const {
    return version != 0 && version < version_;
  }
  /// Resets the counters of failures and returns true if the watch has lasted
  /// long enough.
  bool reset_failures_if_watch_is_stable(time_point now);
  void note_progress_of_list(std::size_t objects, time_point now);
  void grow_page_after_small_one(std::size_t bytes);
  void set_page_limits(int objects);
  void count_as_complete(step& s, std::uint64_t version);
  void count_as_synced(step& s);

  limits limits_;
  phase phase_ = phase::waiting;
  bool must_list_ = true;           ///< The next step is a list, not a watch.
  bool may_have_gone_back_ = false; ///< The server could not be reached.
  bool heard_ = false;              ///< Something came on this watch.
  bool synced_ = false;
  int silent_watches_ = 0; ///< In a row.
  int failures_ = 0;       ///< In a row.
  int lists_since_stable_watch_ = 0;
  page_request page_;
  std::uint64_t version_ = 0; ///< Resume after this one.
  std::string unavailable_;
  std::string last_failure_;
  std::optional<time_point> accepted_at_; ///< Of this watch.
  std::optional<time_point> unwatched_since_;
  std::size_t objects_listed_ = 0;      ///< In this list, until now.
  std::size_t most_objects_listed_ = 0; ///< In one list, since the last watch.
  std::optional<time_point> current_at_;
};

} // namespace troupe::k8s
