#include "actors/api/watcher.hpp"

#include "actors/base/job_pod_addresses.hpp"
#include "actors/metrics/metrics.hpp"
#include "config/logging.hpp"
#include "frameworks/core/model/retry.hpp"
#include "k8s/codec/codec.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>

namespace troupe::actors {

namespace {

/// List numbers are global and increasing, so that a list of a restarted
/// watcher is newer.
std::uint64_t next_list_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// A stream that ends sooner is not stable.
constexpr std::chrono::seconds shortest_stream{1};

/// Of a page. Large enough that a page of ordinary objects is not cut.
constexpr std::size_t most_bytes_of_page = 8u << 20;

/// More are left out, too, but not told one by one.
constexpr std::size_t most_unreadable_told = 1000;

/// After so many watches in a row on which nothing came.
constexpr int most_silent_streams = 2;

/// After this many consecutive 404s (about a minute), a resource that was
/// listed before counts as deleted (its CRD was removed).
constexpr int undefined_after = 9;

} // namespace

void watcher_state::init(context_ptr context, watcher_config config,
                         directory_shards to, sync_listener_actor listener) {
  context_ = std::move(context);
  config_ = std::move(config);
  directories_ = std::move(to);
  listener_ = std::move(listener);
  meter_ = &context_->counters->watch_meter_of(config_.resource.plural);
}

void watcher_state::start_list() {
  phase_ = phase::listing;
  close_stream();
  silent_streams_ = 0;
  list_number_ = next_list_number();
  page_objects_ = context_->options->list_page;
  objects_listed_ = 0;
  meter_->count_list();
  request_page("");
}

k8s::selection watcher_state::make_selection() const {
  return {config_.resource, config_.about.ns, config_.label_selector, ""};
}

k8s::object_detail watcher_state::watched_detail() const {
  return config_.about.job_kind ? k8s::object_detail::spec_and_status
                                : config_.children_detail;
}

void watcher_state::request_page(const std::string& token) {
  page_token_ = token;
  auto request = k8s::with_accept_header(
      watched_detail(), k8s::list(make_selection(), page_objects_, token));
  if (page_objects_ > 1)
    request.answer_limit = most_bytes_of_page;
  self_->send(context_->gateway_for(""),
              api_call{next_request_epoch(), std::move(request), "",
                       call_priority::always,
                       caf::actor_cast<api_caller_actor>(self_)});
}

void watcher_state::request_version() {
  phase_ = phase::checking;
  page_objects_ = 1;
  request_page("");
}

void watcher_state::on_version(const k8s::result<std::string>& answer) {
  auto page = answer ? k8s::decode_list(*answer, watched_detail())
                     : k8s::result<k8s::list_page>{answer.error()};
  if (!page) {
    // A list says what it means that there is no such resource, or no right.
    must_relist_ =
        !page.error().is_retryable() || page.error().code == k8s::ec::forbidden;
    schedule_watch_retry(page.error());
  } else if (page->resource_version != 0 && page->resource_version < version_) {
    report_server_went_back(page->resource_version);
  } else {
    may_have_gone_back_ = false;
    open_watch_stream();
  }
}

void watcher_state::report_server_went_back(std::uint64_t version) {
  self_->send(listener_, server_went_back{config_.resource.plural, version,
                                          version_}); // It ends this actor.
}

void watcher_state::request_smaller_page() {
  page_objects_ = std::max(1, page_objects_ / 8);
  request_page(std::string{page_token_});
}

void watcher_state::adapt_page_to(std::size_t bytes) {
  if (bytes < most_bytes_of_page / 4)
    page_objects_ = std::min(page_objects_ * 2, context_->options->list_page);
}

void watcher_state::on_page(const api_response& a) {
  if (a.tag != epoch_)
    return;
  if (phase_ == phase::checking) {
    on_version(*a.outcome);
    return;
  }
  if (!*a.outcome) {
    const auto& why = a.outcome->error();
    if (why.code == k8s::ec::too_large && page_objects_ > 1)
      request_smaller_page();
    else if (why.code == k8s::ec::not_found)
      treat_not_found_as_empty_list_and_retry(why);
    else if (why.code == k8s::ec::forbidden)
      handle_list_forbidden(why);
    else
      schedule_watch_retry(why);
    return;
  }
  auto page = k8s::decode_list(**a.outcome, watched_detail());
  if (!page) {
    schedule_watch_retry(page.error());
    return;
  }
  for (const auto* items : {&page->items, &page->unreadable})
    for (const auto& item : *items)
      handle_object(item, false);
  adapt_page_to((**a.outcome).size());
  note_progress_of_list(page->items.size() + page->unreadable.size());
  if (!page->continue_token.empty()) {
    request_page(page->continue_token);
    return;
  }
  if (page->resource_version != 0 && page->resource_version < version_) {
    report_server_went_back(page->resource_version);
    return;
  }
  version_ = page->resource_version;
  current_at_ = self_->clock().now();
  must_relist_ = may_have_gone_back_ = false;
  failures_ = 0;
  ++lists_since_stable_stream_;
  if (!std::exchange(unavailable_, "").empty())
    log::info("listed resource again", {{"resource", config_.resource.plural}});
  send_list_complete(version_);
  report_synced_once();
  open_watch_stream();
}

void watcher_state::note_progress_of_list(std::size_t objects) {
  objects_listed_ += objects;
  if (objects_listed_ <= most_objects_listed_)
    return;
  most_objects_listed_ = objects_listed_;
  if (unwatched_since_)
    unwatched_since_ = self_->clock().now();
}

void watcher_state::open_watch_stream() {
  phase_ = phase::watching;
  close_stream();
  heard_ = false;
  if (!unwatched_since_)
    unwatched_since_ = self_->clock().now();
  // With jitter, so that many watches do not end at the same moment.
  auto limit = context_->options->watch_limit;
  limit += std::chrono::seconds{static_cast<int>(
      context_->jitter() * static_cast<double>(limit.count()))};
  self_->send(context_->gateway_for(""),
              open_stream{next_request_epoch(),
                          k8s::with_accept_header(
                              watched_detail(),
                              k8s::watch(make_selection(), version_, limit)),
                          watched_detail(),
                          caf::actor_cast<stream_reader_actor>(self_)});
}

void watcher_state::on_stream_opened(const stream_opened& s) {
  if (s.stream == epoch_)
    session_ = s.session;
}

void watcher_state::on_stream_accepted(const stream_accepted& s) {
  if (s.stream != epoch_)
    return;
  accepted_at_ = self_->clock().now();
  unwatched_since_.reset();
  most_objects_listed_ = 0;
}

void watcher_state::close_stream() {
  session_.reset();
  accepted_at_.reset();
}

bool watcher_state::reset_failures_if_stream_is_stable() {
  if (!accepted_at_ || self_->clock().now() - *accepted_at_ < shortest_stream)
    return false;
  failures_ = 0;
  lists_since_stable_stream_ = 0;
  return true;
}

void watcher_state::on_events_arrived(const events_arrived& e) {
  if (e.stream != epoch_ || phase_ != phase::watching)
    return;
  reset_failures_if_stream_is_stable();
  current_at_ = self_->clock().now();
  heard_ = true;
  silent_streams_ = 0;
  using kind = k8s::watch_event::kind;
  for (const auto& event : *e.events) {
    meter_->count_watch_event();
    switch (event.type) {
    case kind::added:
    case kind::modified:
    case kind::deleted:
      version_ = std::max(version_, event.item->meta.resource_version);
      if (handle_object(event.item, event.type == kind::deleted)) {
        must_relist_ = true;
        count_watch_failure_and_retry(
            {k8s::ec::garbage, event.item->unreadable()->why});
        return;
      }
      break;
    case kind::bookmark:
      if (event.resource_version == 0)
        break;
      if (event.resource_version < version_) {
        must_relist_ = true;
        count_watch_failure_and_retry(
            {k8s::ec::expired, "the server's version is older than ours"});
        return;
      }
      version_ = event.resource_version;
      break;
    case kind::error:
      // 410: the version is too old. After any other error the position in the
      // stream is unknown.
      must_relist_ = true;
      count_watch_failure_and_retry(
          {event.code == 410 ? k8s::ec::expired : k8s::ec::garbage,
           event.message});
      return;
    }
  }
}

void watcher_state::on_stream_ended(const stream_ended& e) {
  if (e.stream != epoch_ || phase_ != phase::watching)
    return;
  if (*e.outcome && reset_failures_if_stream_is_stable()) {
    meter_->count_watch_end("closed"); // By the server, at timeoutSeconds.
    open_watch_stream();
    return;
  }
  if (*e.outcome) {
    count_watch_failure_and_retry(
        {k8s::ec::unreachable, "the server closes the watch at once"});
    return;
  }
  const auto& why = e.outcome->error();
  bool silent = why.code == k8s::ec::timeout && accepted_at_ && !heard_
                && ++silent_streams_ >= most_silent_streams;
  if (why.code == k8s::ec::expired || why.code == k8s::ec::garbage || silent)
    must_relist_ = true;
  if (why.code == k8s::ec::unreachable || why.code == k8s::ec::timeout)
    may_have_gone_back_ = true;
  count_watch_failure_and_retry(why);
}

void watcher_state::count_watch_failure_and_retry(const k8s::failure& why) {
  meter_->count_watch_end(k8s::to_string(why.code));
  schedule_watch_retry(why);
}

void watcher_state::send_list_complete(std::uint64_t version) {
  for (const auto& d : directories_.all())
    self_->send(d, list_complete{config_.about, list_number_, version});
  if (records_pod_addresses())
    context_->pod_addresses->forget_unlisted(config_.about, list_number_,
                                             version);
}

bool watcher_state::records_pod_addresses() const {
  return context_->pod_addresses && !config_.about.job_kind
         && config_.children_detail == k8s::object_detail::pod_with_ports;
}

void watcher_state::report_synced_once() {
  if (!std::exchange(synced_, true))
    self_->send(listener_, watcher_synced{config_.number});
}

void watcher_state::treat_not_found_as_empty_list_and_retry(
    const k8s::failure& why) {
  if (!synced_)
    log::warn("the server could not find the requested resource (CRD not "
              "installed?), will retry",
              {{"resource", config_.resource.plural},
               {"apiVersion", config_.resource.api_version()}});
  unavailable_ = "no such resource";
  current_at_.reset();
  // Without a CRD there are no objects, so the watcher is synced. If the
  // resource was listed before, wait: a starting API server answers 404 until
  // it has loaded its CRDs.
  if (!synced_ || failures_ >= undefined_after) {
    send_list_complete(version_);
    report_synced_once();
  }
  schedule_watch_retry(why);
}

void watcher_state::handle_list_forbidden(const k8s::failure& why) {
  bool vital =
      !config_.about.job_kind && core::is_replica_child(config_.about.children);
  if (std::exchange(unavailable_, "forbidden") != "forbidden") {
    auto say = [vital](std::string_view message, log::fields f) {
      vital ? log::error(message, f) : log::warn(message, f);
    };
    say(vital ? "failed to list resource: forbidden; operator stays unready"
              : "failed to list resource: forbidden; jobs that need it are not "
                "reconciled",
        {{"resource", config_.resource.plural},
         {"apiVersion", config_.resource.api_version()},
         {"error", why.message}});
  }
  if (!vital) {
    // Known objects are kept. If nothing was listed yet, report an empty list,
    // so that the directory can start (version 0 deletes nothing).
    if (!synced_ && !config_.about.job_kind)
      send_list_complete(0);
    report_synced_once();
  }
  schedule_watch_retry(why);
}

void watcher_state::schedule_watch_retry(const k8s::failure& why) {
  reset_failures_if_stream_is_stable();
  bool was_listing = phase_ == phase::listing;
  phase_ = phase::backing_off;
  close_stream();
  last_failure_ = why.message;
  ++failures_;
  if (!unavailable_.empty())
    unwatched_since_.reset(); // There is nothing to watch, or it is forbidden.
  else if (!unwatched_since_)
    unwatched_since_ = self_->clock().now();
  // 410 after a watch is normal; 410 right after a list is a failure. So the
  // lists since the last stable stream count as attempts, too.
  bool stale = why.code == k8s::ec::expired && !was_listing;
  auto attempt = stale ? lists_since_stable_stream_ + 1
                       : std::max(failures_, lists_since_stable_stream_);
  auto delay = core::watch_retry_delay_after(why, attempt, context_->jitter());
  log::debug("watch ended, will retry",
             {{"resource", config_.resource.plural},
              {"error", why.message},
              {"relist", must_relist_ || was_listing},
              {"delay_ms", delay.count()}});
  if (failures_ == 3 && unavailable_.empty())
    log::warn("watch keeps failing, will retry",
              {{"resource", config_.resource.plural}, {"error", why.message}});
  self_->delayed_send(self_, delay, timer_fired{next_request_epoch()});
}

void watcher_state::on_timer(const timer_fired& fired) {
  if (fired.timer != epoch_ || phase_ != phase::backing_off)
    return;
  if (must_relist_ || version_ == 0)
    start_list();
  else if (may_have_gone_back_)
    request_version();
  else
    open_watch_stream();
}

bool watcher_state::handle_object(const k8s::object_ptr& item, bool gone) {
  const auto* unreadable = item->unreadable();
  if ((!unreadable || gone) && !unreadable_.empty())
    unreadable_.erase(item->meta.uid);
  bool told = unreadable && !gone && tell_unreadable_once(*item);
  // Of a child nothing is known but that it is there.
  if (!unreadable || gone || config_.about.job_kind)
    send_object_to_directories(item, gone);
  return told && !unreadable->for_good;
}

bool watcher_state::tell_unreadable_once(const k8s::object& item) {
  if (unreadable_.size() >= most_unreadable_told
      || !unreadable_.insert(item.meta.uid).second)
    return false;
  log::warn("failed to read object, it is left out",
            {{"resource", config_.resource.plural},
             {"namespace", item.meta.ns},
             {"name", item.meta.name},
             {"error", item.unreadable()->why}});
  return true;
}

void watcher_state::send_object_to_directories(const k8s::object_ptr& item,
                                               bool gone) {
  const auto* kind = config_.about.job_kind;
  if (!kind) {
    if (gone) {
      send_to_directory_of_child(child_deleted{config_.about.children, item});
      tell_who_awaits_name(*item);
    } else {
      send_to_directory_of_child(
          child_seen{config_.about.children, item, list_number_});
    }
    // After the fact: whoever is known by it asks later than that.
    if (records_pod_addresses())
      gone ? context_->pod_addresses->record_deleted(*item)
           : context_->pod_addresses->record_seen(*item, list_number_);
    return;
  }
  const auto& to = directories_.directory_of_job(
      item->meta.ns, kind->names.type.kind, item->meta.name);
  if (gone)
    self_->send(to, job_deleted{kind, item});
  else
    self_->send(to, job_seen{kind, item, list_number_});
}

void watcher_state::tell_who_awaits_name(const k8s::object& gone) {
  auto kind = config_.about.children;
  for (const auto& who :
       context_->awaited->take(kind, gone.meta.ns, gone.meta.name))
    self_->send(caf::actor_cast<order_issuer_actor>(who),
                name_freed{kind, gone.meta.name});
}

template <class Fact>
void watcher_state::send_to_directory_of_child(const Fact& fact) {
  if (const auto* one = directories_.directory_of_child(fact)) {
    self_->send(*one, fact);
    return;
  }
  for (const auto& d : directories_.all())
    self_->send(d, fact);
}

nlohmann::json watcher_state::seconds_since(
    const std::optional<caf::actor_clock::time_point>& when) const {
  if (!when)
    return nullptr;
  std::chrono::duration<double> passed = self_->clock().now() - *when;
  return passed.count();
}

report_ptr watcher_state::report() const {
  const char* names[] = {"listing", "checking", "watching", "resting"};
  auto out =
      own_report(*self_, {{"resource", config_.resource.plural},
                          {"apiVersion", config_.resource.api_version()},
                          {"labelSelector", config_.label_selector},
                          {"namespace", config_.about.ns},
                          {"state", names[static_cast<int>(phase_)]},
                          {"unavailable", unavailable_},
                          {"version", version_},
                          {"failuresInARow", failures_},
                          {"lastFailure", last_failure_},
                          {"neededToBeReady", config_.needed_to_be_ready},
                          {"secondsUnwatched", seconds_since(unwatched_since_)},
                          {"secondsBehind", seconds_since(current_at_)}});
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
      [self](atom::start) { self->state.start_list(); },
      [self](const api_response& a) { self->state.on_page(a); },
      [self](const stream_opened& s) { self->state.on_stream_opened(s); },
      [self](const stream_accepted& s) { self->state.on_stream_accepted(s); },
      [self](const events_arrived& e) { self->state.on_events_arrived(e); },
      [self](const stream_ended& e) { self->state.on_stream_ended(e); },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
  };
}

} // namespace troupe::actors
