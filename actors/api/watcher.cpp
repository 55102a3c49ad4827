#include "actors/api/watcher.hpp"

#include "actors/api/watch_log.hpp"
#include "actors/metrics/metrics.hpp"
#include "frameworks/core/base/retry.hpp"
#include "k8s/codec/codec.hpp"

#include <nlohmann/json.hpp>

#include <atomic>

namespace troupe::actors {

namespace {

using course = k8s::watch_course;

/// List numbers are global and increasing, so that a list of a restarted
/// watcher is newer.
std::uint64_t next_list_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// Large enough that a page of ordinary objects is not cut.
constexpr std::size_t most_bytes_of_page = 8u << 20;

/// More are left out, too, but not told one by one.
constexpr std::size_t most_unreadable_told = 1000;

/// As in the report.
const char* phase_name(course::phase p) {
  const char* names[] = {"listing", "checking", "watching", "resting"};
  return names[static_cast<int>(p)];
}

} // namespace

void watcher_state::init(context_ptr context, watcher_config config,
                         directory_shards to, sync_listener_actor listener) {
  context_ = std::move(context);
  config_ = std::move(config);
  facts_ = fact_sender{self_, context_, config_.about, config_.children_detail,
                       std::move(to)};
  listener_ = std::move(listener);
  meter_ = &context_->counters->watch_meter_of(config_.resource.plural);
  course_ = course{make_course_limits()};
}

bool watcher_state::is_dispensable() const {
  return config_.about.job_kind
         || !core::is_replica_child(config_.about.children);
}

course::limits watcher_state::make_course_limits() const {
  using forbidden = course::forbidden_list;
  course::limits result;
  result.page_objects = context_->options->list_page;
  result.page_bytes = most_bytes_of_page;
  // A directory starts when each list of children is complete.
  result.if_forbidden = !is_dispensable()        ? forbidden::is_awaited
                        : config_.about.job_kind ? forbidden::counts_as_listed
                                                 : forbidden::counts_as_empty;
  return result;
}

k8s::selection watcher_state::make_selection() const {
  return {config_.resource, config_.about.ns, config_.label_selector,
          config_.field_selector};
}

k8s::object_detail watcher_state::watched_detail() const {
  return config_.about.job_kind ? k8s::object_detail::spec_and_status
                                : config_.children_detail;
}

// -- what the course says -----------------------------------------------------

void watcher_state::on_start() {
  execute_course_step(course_.begin());
}

void watcher_state::execute_course_step(const course::step& next) {
  using action = course::action;
  session_.reset();
  log_watch_news(next, config_.resource, is_dispensable());
  if (next.complete)
    facts_.send_list_complete_to_all(list_number_, *next.complete);
  if (next.first_synced)
    self_->send(listener_, watcher_synced{config_.number});
  switch (next.what) {
  case action::list:
    list_number_ = next_list_number();
    meter_->count_list();
    request_page();
    break;
  case action::next_page:
  case action::ask_version:
    request_page();
    break;
  case action::watch:
    open_watch_stream();
    break;
  case action::wait:
    retry_after_delay(next);
    break;
  case action::begin_anew:
    report_server_went_back(next.server_version);
    break;
  }
}

void watcher_state::request_page() {
  const auto& page = course_.page();
  auto request = k8s::with_accept_header(
      watched_detail(), k8s::list(make_selection(), page.objects, page.token));
  request.answer_limit = page.bytes;
  self_->send(context_->gateway_for(""),
              api_call{next_request_epoch(), std::move(request), "",
                       call_priority::always,
                       caf::actor_cast<api_caller_actor>(self_)});
}

void watcher_state::open_watch_stream() {
  // With jitter, so that many watches do not end at the same moment.
  auto limit = context_->options->watch_limit;
  limit += std::chrono::seconds{static_cast<int>(
      context_->jitter() * static_cast<double>(limit.count()))};
  self_->send(
      context_->gateway_for(""),
      open_stream{next_request_epoch(),
                  k8s::with_accept_header(
                      watched_detail(),
                      k8s::watch(make_selection(), course_.version(), limit)),
                  watched_detail(),
                  caf::actor_cast<stream_reader_actor>(self_)});
}

void watcher_state::retry_after_delay(const course::step& next) {
  auto delay =
      core::watch_retry_delay_after(next.why, next.attempt, context_->jitter());
  log_watch_retry(next.why, config_.resource, course_.lists_next(), delay);
  self_->delayed_send(self_, delay, timer_fired{next_request_epoch()});
}

void watcher_state::report_server_went_back(std::uint64_t version) {
  self_->send(listener_,
              server_went_back{config_.resource.plural, version,
                               course_.version()}); // It ends this actor.
}

// -- what came of it ----------------------------------------------------------

void watcher_state::on_page(const api_response& a) {
  if (a.tag != epoch_)
    return;
  auto page = *a.outcome ? k8s::decode_list(**a.outcome, watched_detail())
                         : k8s::result<k8s::list_page>{a.outcome->error()};
  if (!page) {
    execute_course_step(course_.on_page_failed(page.error(), now()));
    return;
  }
  if (course_.current_phase() == course::phase::listing)
    for (const auto* items : {&page->items, &page->unreadable})
      for (const auto& item : *items)
        send_fact_or_ask_relist(item, false);
  execute_course_step(course_.on_page(
      {page->items.size() + page->unreadable.size(), (**a.outcome).size(),
       page->continue_token, page->resource_version},
      now()));
}

void watcher_state::on_stream_opened(const stream_opened& s) {
  if (s.stream == epoch_)
    session_ = s.session;
}

void watcher_state::on_stream_accepted(const stream_accepted& s) {
  if (s.stream == epoch_)
    course_.on_watch_accepted(now());
}

void watcher_state::on_events_arrived(const events_arrived& e) {
  if (e.stream != epoch_)
    return;
  course_.on_events(now());
  for (const auto& event : *e.events) {
    meter_->count_watch_event();
    if (auto next = on_event(event)) {
      count_watch_end_and_execute_step(*next);
      return;
    }
  }
}

std::optional<course::step>
watcher_state::on_event(const k8s::watch_event& event) {
  using kind = k8s::watch_event::kind;
  switch (event.type) {
  case kind::bookmark:
    return course_.on_bookmark(event.resource_version, now());
  case kind::error:
    return course_.on_error_event(event.code, event.message, now());
  case kind::added:
  case kind::modified:
  case kind::deleted:
    break;
  }
  course_.on_object(event.item->meta.resource_version);
  if (send_fact_or_ask_relist(event.item, event.type == kind::deleted))
    return course_.on_damaged_event(event.item->unreadable()->why, now());
  return std::nullopt;
}

void watcher_state::on_stream_ended(const stream_ended& e) {
  if (e.stream == epoch_)
    count_watch_end_and_execute_step(course_.on_watch_ended(*e.outcome, now()));
}

void watcher_state::count_watch_end_and_execute_step(const course::step& next) {
  // "closed": by the server, at timeoutSeconds.
  meter_->count_watch_end(next.what == course::action::watch
                              ? "closed"
                              : k8s::to_string(next.why.code));
  execute_course_step(next);
}

void watcher_state::on_timer(const timer_fired& fired) {
  if (fired.timer == epoch_)
    execute_course_step(course_.on_wait_over(now()));
}

bool watcher_state::send_fact_or_ask_relist(const k8s::object_ptr& item,
                                            bool gone) {
  const auto* unreadable = item->unreadable();
  if ((!unreadable || gone) && !unreadable_.empty())
    unreadable_.erase(item->meta.uid);
  bool told = unreadable && !gone && log_unreadable_once(*item);
  if (gone)
    facts_.send_deleted_and_notify_name_waiters(item);
  else if (!unreadable || config_.about.job_kind)
    facts_.send_seen_and_record_address(item, list_number_);
  // Of a child that is unreadable nothing is known but that it is there.
  return told && !unreadable->for_good;
}

bool watcher_state::log_unreadable_once(const k8s::object& item) {
  if (unreadable_.size() >= most_unreadable_told
      || !unreadable_.insert(item.meta.uid).second)
    return false;
  log_unreadable_object(item, config_.resource);
  return true;
}

nlohmann::json watcher_state::seconds_since_or_null(
    const std::optional<time_point>& when) const {
  if (!when)
    return nullptr;
  std::chrono::duration<double> passed = now() - *when;
  return passed.count();
}

report_ptr watcher_state::report() const {
  auto out = own_report(
      *self_,
      {{"resource", config_.resource.plural},
       {"apiVersion", config_.resource.api_version()},
       {"labelSelector", config_.label_selector},
       {"fieldSelector", config_.field_selector},
       {"namespace", config_.about.ns},
       {"state", phase_name(course_.current_phase())},
       {"unavailable", course_.why_unavailable()},
       {"version", course_.version()},
       {"failuresInARow", course_.failures()},
       {"lastFailure", course_.last_failure()},
       {"neededToBeReady", config_.needed_to_be_ready},
       {"secondsUnwatched", seconds_since_or_null(course_.unwatched_since())},
       {"secondsBehind", seconds_since_or_null(course_.current_at())}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

watcher_actor::behavior_type
watcher(self_pointer<watcher_actor, watcher_state> self, context_ptr context,
        watcher_config config, directory_shards to,
        sync_listener_actor listener) {
  self->state.init(std::move(context), std::move(config), std::move(to),
                   std::move(listener));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](atom::start) { self->state.on_start(); },
      [self](const api_response& a) { self->state.on_page(a); },
      [self](const stream_opened& s) { self->state.on_stream_opened(s); },
      [self](const stream_accepted& s) { self->state.on_stream_accepted(s); },
      [self](const events_arrived& e) { self->state.on_events_arrived(e); },
      [self](const stream_ended& e) { self->state.on_stream_ended(e); },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
  };
}

} // namespace troupe::actors
