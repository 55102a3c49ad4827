#include "actors/watcher.hpp"

#include "actors/metrics.hpp"
#include "config/logging.hpp"
#include "frameworks/core/retry.hpp"
#include "k8s/calls.hpp"
#include "k8s/codec.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>

namespace troupe::actors {

namespace {

/// Numbers of lists grow over all watchers and their successors, so a list of
/// a restarted watcher is known to be newer.
std::uint64_t next_listing() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// A stream that ends sooner is not opened again at once.
constexpr std::chrono::seconds shortest_stream{1};

/// Between looks for a resource that the server does not know.
constexpr std::chrono::seconds definition_pause{60};

} // namespace

void watcher_state::begin(links_ptr out, watcher_task task, directory_actor to,
                          sync_listener_actor listener) {
  out_ = std::move(out);
  task_ = std::move(task);
  directory_ = std::move(to);
  listener_ = std::move(listener);
}

void watcher_state::list() {
  phase_ = phase::listing;
  session_.reset();
  listing_ = next_listing();
  out_->counters->relisted(task_.resource.plural);
  ask_for_page("");
}

k8s::content watcher_state::keep() const {
  if (task_.about.job_kind)
    return k8s::content::raw;
  return core::content_of(task_.about.children);
}

void watcher_state::ask_for_page(const std::string& token) {
  k8s::selection what{task_.resource, task_.about.ns, task_.label_selector, ""};
  self_->send(
      out_->gateway_for(""),
      api_call{next_turn(),
               k8s::asking_for(keep(),
                               k8s::list(what, out_->sizes->list_page, token)),
               "", urgency::work, caf::actor_cast<api_caller_actor>(self_)});
}

void watcher_state::page_arrived(const api_answer& a) {
  if (a.tag != turn_)
    return;
  if (!*a.outcome) {
    if (a.outcome->error().code == k8s::ec::gone)
      wait_for_definition(a.outcome->error());
    else
      rest(a.outcome->error());
    return;
  }
  auto page = k8s::decode_list(**a.outcome, keep());
  if (!page) {
    rest(page.error());
    return;
  }
  for (const auto& item : page->items)
    tell(item, false);
  if (!page->continue_token.empty()) {
    ask_for_page(page->continue_token);
    return;
  }
  version_ = page->version;
  must_list_ = false;
  say_synced();
  watch();
}

void watcher_state::watch() {
  phase_ = phase::watching;
  session_.reset();
  k8s::selection what{task_.resource, task_.about.ns, task_.label_selector, ""};
  // Spread, so that many watches do not end at the same moment.
  auto limit = out_->sizes->watch_limit;
  limit += std::chrono::seconds{
      static_cast<int>(out_->jitter() * static_cast<double>(limit.count()))};
  self_->send(
      out_->gateway_for(""),
      open_stream{next_turn(),
                  k8s::asking_for(keep(), k8s::watch(what, version_, limit)),
                  keep(), caf::actor_cast<stream_reader_actor>(self_)});
}

void watcher_state::stream_is_open(const stream_opened& s) {
  if (s.turn != turn_)
    return;
  session_ = s.session;
  opened_at_ = self_->clock().now();
}

void watcher_state::events(const events_arrived& e) {
  if (e.turn != turn_ || phase_ != phase::watching)
    return;
  using kind = k8s::watch_event::kind;
  for (const auto& event : *e.events) {
    out_->counters->watch_event(task_.resource.plural);
    switch (event.what) {
    case kind::added:
    case kind::modified:
    case kind::deleted:
      failures_ = 0;
      version_ = std::max(version_, event.item->meta.version);
      tell(event.item, event.what == kind::deleted);
      break;
    case kind::bookmark:
      failures_ = 0;
      version_ = std::max(version_, event.version);
      break;
    case kind::error:
      // 410: the version is too old. Anything else cannot be trusted to
      // have kept its place in the stream either.
      must_list_ = true;
      rest({event.code == 410 ? k8s::ec::expired : k8s::ec::garbage,
            event.message});
      return;
    }
  }
}

void watcher_state::stream_is_over(const stream_ended& e) {
  if (e.turn != turn_ || phase_ != phase::watching)
    return;
  session_.reset();
  if (*e.outcome) { // In good order, at the server's time limit.
    if (self_->clock().now() - opened_at_ > shortest_stream)
      watch();
    else
      rest({k8s::ec::unreachable, "the server closes the watch at once"});
    return;
  }
  const auto& why = e.outcome->error();
  if (why.code == k8s::ec::expired || why.code == k8s::ec::garbage)
    must_list_ = true;
  rest(why);
}

void watcher_state::say_synced() {
  self_->send(directory_, list_complete{task_.about, listing_, version_});
  if (!synced_) {
    synced_ = true;
    self_->send(listener_, subject_synced{task_.number});
  }
}

void watcher_state::wait_for_definition(const k8s::failure& why) {
  if (!synced_)
    log::warn("the server has no such resource, it is looked for now and then",
              {{"resource", task_.resource.plural},
               {"apiVersion", task_.resource.api_version()}});
  phase_ = phase::resting;
  last_failure_ = why.what;
  // There is nothing of the kind, and that is all there is to know.
  say_synced();
  self_->delayed_send(self_, definition_pause, woke_up{next_turn()});
}

void watcher_state::rest(const k8s::failure& why) {
  phase_ = phase::resting;
  session_.reset();
  last_failure_ = why.what;
  ++failures_;
  // Expired is no trouble of the server's: list again at once, but only once.
  auto delay = why.code == k8s::ec::expired && failures_ == 1
                   ? std::chrono::milliseconds{0}
                   : core::delay_after(why, failures_, out_->jitter());
  if (failures_ == 3)
    log::warn("watch does not hold, trying on",
              {{"resource", task_.resource.plural}, {"error", why.what}});
  self_->delayed_send(self_, delay, woke_up{next_turn()});
}

void watcher_state::woke(const woke_up& w) {
  if (w.turn != turn_ || phase_ != phase::resting)
    return;
  if (must_list_ || version_ == 0)
    list();
  else
    watch();
}

void watcher_state::tell(const k8s::object_ptr& item, bool gone) {
  if (task_.about.job_kind) {
    if (gone)
      self_->send(directory_, job_gone{task_.about.job_kind, item});
    else
      self_->send(directory_, job_seen{task_.about.job_kind, item, listing_});
  } else if (gone) {
    self_->send(directory_, child_gone{task_.about.children, item});
  } else {
    self_->send(directory_, child_seen{task_.about.children, item, listing_});
  }
}

report_ptr watcher_state::report() const {
  const char* names[] = {"listing", "watching", "resting"};
  nlohmann::json out{{"actor", name},
                     {"resource", task_.resource.plural},
                     {"namespace", task_.about.ns},
                     {"state", names[static_cast<int>(phase_)]},
                     {"version", version_},
                     {"failuresInARow", failures_},
                     {"lastFailure", last_failure_}};
  return std::make_shared<const nlohmann::json>(std::move(out));
}

watcher_actor::behavior_type
watcher(watcher_actor::stateful_pointer<watcher_state> self, links_ptr out,
        watcher_task task, directory_actor to, sync_listener_actor listener) {
  self->state.begin(std::move(out), std::move(task), std::move(to),
                    std::move(listener));
  return {
      [self](report_wanted) { return self->state.report(); },
      [self](tree_wanted) { return self->state.report(); },
      [self](atom::start) { self->state.list(); },
      [self](const api_answer& a) { self->state.page_arrived(a); },
      [self](const stream_opened& s) { self->state.stream_is_open(s); },
      [self](const events_arrived& e) { self->state.events(e); },
      [self](const stream_ended& e) { self->state.stream_is_over(e); },
      [self](const woke_up& w) { self->state.woke(w); },
  };
}

} // namespace troupe::actors
