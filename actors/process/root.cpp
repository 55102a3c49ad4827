#include "actors/process/root.hpp"

#include "actors/api/gateway.hpp"
#include "actors/api/server_probe.hpp"
#include "actors/base/joined_responses.hpp"
#include "actors/base/supervision.hpp"
#include "actors/events/event_recorder.hpp"
#include "actors/jobs/directory.hpp"
#include "actors/jobs/job_timers.hpp"
#include "actors/metrics/metrics.hpp"
#include "config/logging.hpp"
#include "frameworks/conversions.hpp"
#include "frameworks/core/model/names.hpp"
#include "frameworks/core/pass/auxiliary_objects.hpp"
#include "k8s/calls.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

/// Of the time for a shutdown, kept for the release of the Lease, which may
/// have all that the calls in flight have left.
constexpr std::chrono::milliseconds release_time{500};

/// For the reports of the root's own actors, and of all actors.
constexpr std::chrono::milliseconds report_patience{500};
constexpr std::chrono::milliseconds tree_patience{2'000};

using job_kinds = std::vector<const core::framework*>;

/// In turns, so that each part has at least one.
std::vector<job_kinds> divide_kinds(const job_kinds& kinds, std::size_t parts) {
  std::vector<job_kinds> result(std::min(parts, kinds.size()));
  for (std::size_t i = 0; i < kinds.size(); ++i)
    result[i % result.size()].push_back(kinds[i]);
  return result;
}

/// What one watcher of pods or services is about.
struct watched_labels {
  job_kinds kinds; ///< Empty: all that there are.
  std::string selector;
  const core::framework* example =
      nullptr; ///< All of its kinds are watched alike.
};

bool are_watched_alike(const core::framework& a, const core::framework& b) {
  return core::have_same_selector(a.names.labels, b.names.labels)
         && core::watched_detail_of(a, core::child_kind::pod)
                == core::watched_detail_of(b, core::child_kind::pod);
}

/// Groups of kinds whose children are watched alike.
std::vector<job_kinds> group_watched_alike(const job_kinds& kinds) {
  std::vector<job_kinds> result;
  for (const auto* kind : kinds) {
    auto same = std::find_if(result.begin(), result.end(), [&](const auto& g) {
      return are_watched_alike(*g.front(), *kind);
    });
    if (same == result.end())
      result.push_back({kind});
    else
      same->push_back(kind);
  }
  return result;
}

std::vector<watched_labels> divide_watches(const job_kinds& kinds,
                                           std::size_t parts) {
  std::vector<watched_labels> result;
  auto groups = group_watched_alike(kinds);
  for (const auto& group : groups) {
    auto divided = divide_kinds(group, parts);
    for (const auto& part : divided)
      result.push_back(
          {groups.size() * divided.size() > 1 ? part : job_kinds{},
           core::children_selector(divided.size() > 1 ? part : job_kinds{},
                                   group.front()->names.labels),
           group.front()});
  }
  return result;
}

} // namespace

void root_state::on_start() {
  if (config_.election && !elector_)
    start_leader_elector();
  auto l = std::make_shared<actor_context>();
  l->clock = config_.clock;
  l->jitter = config_.jitter;
  l->counters = config_.counters;
  l->jobs = config_.jobs;
  l->options = config_.options;
  l->pod_addresses = config_.pod_addresses;
  probe_ =
      self_->spawn<caf::linked>(server_probe, config_.client, config_.jitter);
  for (int i = 0; i < config_.options->gateways; ++i)
    l->gateways.push_back(self_->spawn<caf::linked>(
        gateway,
        gateway_config{config_.client, config_.options, config_.counters,
                       config_.jitter, probe_, gate_}));
  l->timers = self_->spawn<caf::linked>(job_timers);
  // The recorder gets the links without itself: it does not exist yet, and it
  // never sends to itself.
  auto without_recorder = std::make_shared<const actor_context>(*l);
  l->recorder = self_->spawn<caf::linked>(event_recorder, without_recorder);
  context_ = l;
  if (config_.webhooks)
    start_certificate_rotator();
  if (config_.forwarding)
    start_forwarding_key();
  make_watcher_configs();
  start_directories();
  watchers_.assign(watches_.size(), watcher_actor{});
  for (std::size_t i = 0; i < watches_.size(); ++i)
    start_watcher(i);
}

void root_state::start_directories() {
  std::vector<watch_target> children;
  for (const auto& w : watches_)
    if (!w.about.job_kind)
      children.push_back(w.about);
  std::vector<directory_actor> all;
  for (int i = 0; i < config_.options->directories; ++i)
    all.push_back(
        self_->spawn<caf::linked>(directory, context_, children, leading_));
  for (const auto& one : all) {
    peer_directories peers;
    for (const auto& other : all)
      if (other != one)
        peers.all.push_back(caf::actor_cast<peer_directory_actor>(other));
    self_->send(one, std::move(peers));
  }
  directories_ = directory_shards{std::move(all)};
}

void root_state::start_leader_elector() {
  auto gate = std::make_shared<write_gate>(config_.since_boot);
  if (config_.election->required) {
    gate_ = gate;
    leading_ = false;
  }
  elector_ = self_->spawn<caf::linked>(
      leader_elector,
      leader_elector_config{config_.client, config_.election->lease, gate,
                            config_.since_boot, config_.clock, config_.jitter,
                            config_.counters, lease_writes_},
      caf::actor_cast<leadership_listener_actor>(self_));
}

void root_state::start_certificate_rotator() {
  rotator_ = self_->spawn<caf::linked>(certificate_rotator, context_,
                                       *config_.webhooks);
  self_->send(rotator_, atom::start::value);
}

void root_state::start_forwarding_key() {
  forwarding_key_ =
      self_->spawn<caf::linked>(forwarding_key, context_, *config_.forwarding);
  self_->send(forwarding_key_, atom::start::value);
}

void root_state::make_watcher_configs() {
  watches_.clear();
  auto add = [this](watch_target about, const k8s::resource& r,
                    std::string labels = "", k8s::object_detail detail = {}) {
    watches_.push_back(
        {watches_.size(), std::move(about), r, std::move(labels), detail});
    watches_.back().needed_to_be_ready = is_needed_to_be_ready(watches_.back());
  };
  auto parts = static_cast<std::size_t>(config_.options->child_watchers);
  for (const auto& ns : config_.options->namespaces) {
    for (auto what : {core::child_kind::pod, core::child_kind::service})
      for (const auto& part : divide_watches(config_.kinds, parts))
        add({nullptr, what, ns, part.kinds}, core::resource_of(what),
            part.selector, core::watched_detail_of(*part.example, what));
    for (auto what : auxiliary_kinds_to_watch())
      add({nullptr, what, ns}, core::resource_of(what), "",
          core::watched_detail_of(what));
    for (const auto* kind : config_.kinds)
      add({kind, core::child_kind::pod, ns}, kind->names.type,
          kind->names.watch_selector);
  }
}

std::set<core::child_kind> root_state::auxiliary_kinds_to_watch() const {
  std::set<core::child_kind> result;
  for (const auto* kind : config_.kinds)
    for (auto what : core::auxiliary_kinds_for(*kind, config_.options->cluster))
      result.insert(what);
  return result;
}

void root_state::start_watcher(std::size_t number) {
  watchers_[number] = self_->spawn<caf::linked>(
      watcher, context_, watches_[number], directories_,
      caf::actor_cast<sync_listener_actor>(self_));
  self_->send(watchers_[number], atom::start::value);
}

void root_state::on_watcher_synced(const watcher_synced& s) {
  synced_.insert(s.watcher);
  update_readiness();
}

/// Caches compare versions, so they would keep what is gone, and ignore what is
/// there now.
void root_state::on_server_went_back(const server_went_back& s) {
  if (stopping_ || !context_)
    return;
  auto delay = actor_restart_delay(++crashes_);
  log::warn("the API server went back to an older state (restored from a "
            "backup?), reading everything again",
            {{"resource", s.resource},
             {"version", s.version},
             {"knownVersion", s.known_version},
             {"delay_ms", delay.count()}});
  restart_all_actors_after(delay);
}

void root_state::restart_all_actors_after(std::chrono::milliseconds delay) {
  stop_all_actors();
  restart_all_timer_ = next_timer_++;
  self_->delayed_send(self_, delay, timer_fired{restart_all_timer_});
}

void root_state::on_leadership_acquired() {
  if (!is_election_required() || stopping_)
    return;
  leading_ = true;
  for (const auto& d : directories_.all())
    self_->send(d, atom::lead::value);
}

void root_state::on_leadership_lost() {
  if (!is_election_required() || stopping_)
    return;
  leading_ = false;
  if (!context_)
    return; // All actors are stopped and will be started again.
  stop_all_actors();
  on_start();
}

void root_state::on_leadership_resumed() {
  if (context_ && !stopping_)
    for (const auto& g : context_->gateways)
      self_->send(g, leadership_resumed{});
}

void root_state::on_actor_options_changed(const actor_options_changed& c) {
  config_.options = c.options; // For actors that are started again.
  if (context_)
    for (const auto& g : context_->gateways)
      self_->send(g, c);
}

/// Jobs that have to be converted are listed when the API server can call our
/// webhook, and a Service sends it to replicas that are ready only.
bool root_state::is_needed_to_be_ready(const watcher_config& watch) const {
  const auto* kind = watch.about.job_kind;
  return !kind || !config_.webhooks
         || !frameworks::find_conversion_of_resource(kind->names.type.group,
                                                     kind->names.type.plural);
}

void root_state::update_readiness() {
  bool ready = !stopping_ && !watches_.empty();
  for (std::size_t i = 0; i < watches_.size(); ++i)
    ready =
        ready && (synced_.count(i) > 0 || !is_needed_to_be_ready(watches_[i]));
  if (ready && !config_.ready->exchange(true)) {
    log::info("caches are synced");
    config_.on_ready();
  }
  if (!ready)
    *config_.ready = false;
}

void root_state::on_actor_exit(const caf::exit_msg& m) {
  if (m.source == self_->address()) { // The process wants us to end.
    self_->quit(m.reason);
    return;
  }
  if (stopping_)
    return;
  auto is = [&](const auto& who) { return who && who.address() == m.source; };
  for (std::size_t i = 0; i < watchers_.size(); ++i)
    if (is(watchers_[i])) {
      restart_watcher_later(i, m.reason);
      return;
    }
  const char* failed = name_of_essential_actor(m.source);
  if (is(elector_))
    elector_ = nullptr;
  if (!failed || restart_all_timer_ != 0)
    return; // One of those that we stopped.
  auto delay = actor_restart_delay(++crashes_);
  log::error("actor failed, restarting all actors",
             {{"actor", failed},
              {"error", self_->system().render(m.reason)},
              {"delay_ms", delay.count()}});
  config_.counters->count_actor_restart("vital");
  restart_all_actors_after(delay);
}

const char*
root_state::name_of_essential_actor(const caf::actor_addr& source) const {
  auto is = [&](const auto& who) { return who && who.address() == source; };
  if (is(probe_))
    return server_probe_state::name;
  if (is(elector_))
    return leader_elector_state::name;
  if (is(rotator_))
    return certificate_rotator_state::name;
  if (is(forwarding_key_))
    return forwarding_key_state::name;
  for (const auto& d : directories_.all())
    if (is(d))
      return directory_state::name;
  if (!context_)
    return nullptr;
  if (is(context_->recorder))
    return event_recorder_state::name;
  if (is(context_->timers))
    return job_timers_state::name;
  for (const auto& g : context_->gateways)
    if (is(g))
      return gateway_state::name;
  return nullptr;
}

void root_state::restart_watcher_later(std::size_t number,
                                       const caf::error& why) {
  watchers_[number] = nullptr;
  synced_.erase(number);
  update_readiness();
  config_.counters->count_actor_restart("watcher");
  auto delay = actor_restart_delay(++crashes_);
  log::error("actor failed, restarting",
             {{"actor", watcher_state::name},
              {"error", self_->system().render(why)},
              {"resource", watches_[number].resource.plural},
              {"delay_ms", delay.count()}});
  restart_timers_.emplace(next_timer_, number);
  self_->delayed_send(self_, delay, timer_fired{next_timer_++});
}

void root_state::stop_all_actors() {
  synced_.clear();
  if (config_.pod_addresses)
    config_.pod_addresses->forget_all();
  update_readiness();
  restart_timers_.clear();
  auto end = [this](auto& who) {
    if (who)
      self_->send_exit(who, caf::exit_reason::user_shutdown);
    who = nullptr;
  };
  for (auto& w : watchers_)
    end(w);
  for (auto d : directories_.all())
    end(d);
  directories_ = {};
  end(rotator_);
  end(forwarding_key_);
  end(probe_);
  if (context_) {
    self_->send_exit(context_->recorder, caf::exit_reason::user_shutdown);
    self_->send_exit(context_->timers, caf::exit_reason::user_shutdown);
    for (const auto& g : context_->gateways)
      self_->send_exit(g, caf::exit_reason::user_shutdown);
  }
  context_ = nullptr;
}

void root_state::on_timer(const timer_fired& fired) {
  if (stopping_)
    return;
  if (fired.timer == restart_all_timer_) {
    restart_all_timer_ = 0;
    on_start();
    return;
  }
  auto r = restart_timers_.find(fired.timer);
  if (r == restart_timers_.end())
    return;
  auto number = r->second;
  restart_timers_.erase(r);
  if (context_)
    start_watcher(number);
}

caf::result<drained> root_state::on_drain() {
  stopping_ = true;
  drain_until_ = self_->clock().now() + config_.options->drain;
  update_readiness();
  auto promise = self_->make_response_promise<drained>();
  if (!context_) {
    release_lease(promise);
    return promise;
  }
  for (auto& w : watchers_)
    if (w)
      self_->send_exit(w, caf::exit_reason::user_shutdown);
  draining_ = context_->gateways.size();
  auto one_less = [this, promise]() mutable {
    if (--draining_ == 0)
      release_lease(promise);
  };
  auto limit = std::max(config_.options->drain - release_time,
                        config_.options->drain / 2);
  for (const auto& g : context_->gateways)
    self_->request(g, limit, drain{})
        .then([one_less](drained) mutable { one_less(); },
              [one_less](caf::error&) mutable { one_less(); });
  return promise;
}

void root_state::release_lease(caf::typed_response_promise<drained> promise) {
  if (!elector_) {
    promise.deliver(drained{});
    return;
  }
  auto done = [promise]() mutable { promise.deliver(drained{}); };
  auto limit = std::max<caf::timespan>(release_time,
                                       drain_until_ - self_->clock().now());
  self_->request(elector_, limit, drain{})
      .then([done](drained) mutable { done(); },
            [done](caf::error&) mutable { done(); });
}

std::optional<job_response>
root_state::unavailable_response_unless_synced() const {
  // A job or a pod that no list has shown yet would be taken for unknown.
  if (*config_.ready && synced_.size() == watches_.size()
      && !directories_.empty())
    return std::nullopt;
  return job_response{503, "the operator is starting or ending; ask later"};
}

caf::result<job_response>
root_state::on_job_request(const request_to_job& request) {
  if (auto refusal = unavailable_response_unless_synced())
    return *refusal;
  return self_->delegate(
      directories_.directory_of_job(request.ns, request.kind->names.type.kind,
                                    request.name),
      request);
}

caf::result<job_responses>
root_state::on_jobs_request(const request_to_jobs& request) {
  if (auto refusal = unavailable_response_unless_synced())
    return std::make_shared<const std::vector<job_response>>(1, *refusal);
  std::vector<response_source> all;
  for (const auto& d : directories_.all())
    all.push_back([this, d, request](auto take) {
      self_->request(d, response_patience, request)
          .then([take](const job_responses& r) { take(*r); },
                [take](caf::error&) { take({}); });
    });
  return join_job_responses(self_->make_response_promise<job_responses>(), all);
}

caf::result<report_ptr>
root_state::forward_job_report_request(const get_job_report& w) {
  if (directories_.empty())
    return report_ptr{};
  return self_->delegate(directories_.directory_of_job(w.ns, w.kind, w.name),
                         w);
}

template <class Question>
caf::result<report_ptr>
root_state::reply_with_report_tree(Question question,
                                   std::chrono::milliseconds patience) {
  std::vector<reporting_actor> children;
  if (elector_)
    children.push_back(elector_);
  if (context_) {
    for (const auto& g : context_->gateways)
      children.push_back(g);
    children.push_back(probe_);
    children.push_back(context_->recorder);
    children.push_back(context_->timers);
  }
  if (rotator_)
    children.push_back(rotator_);
  if (forwarding_key_)
    children.push_back(forwarding_key_);
  for (const auto& w : watchers_)
    if (w)
      children.push_back(w);
  for (const auto& d : directories_.all())
    children.push_back(d);
  return collect_report_tree(
      self_,
      own_report(*self_, {{"at", k8s::to_rfc3339(config_.clock())},
                          {"leading", leading_},
                          {"ready", config_.ready->load()},
                          {"restarts", crashes_},
                          {"stopping", stopping_}}),
      children, question, patience);
}

root_actor::behavior_type root(self_pointer<root_actor, root_state> self,
                               root_config config) {
  self->state.init(std::move(config));
  self->set_exit_handler(
      [self](const caf::exit_msg& m) { self->state.on_actor_exit(m); });
  return {
      [self](get_report q) {
        return self->state.reply_with_report_tree(q, report_patience);
      },
      [self](get_tree q) {
        return self->state.reply_with_report_tree(q, tree_patience);
      },
      [self](atom::start) { self->state.on_start(); },
      [self](const watcher_synced& s) { self->state.on_watcher_synced(s); },
      [self](const server_went_back& s) { self->state.on_server_went_back(s); },
      [self](const leadership_acquired&) {
        self->state.on_leadership_acquired();
      },
      [self](const leadership_lost&) { self->state.on_leadership_lost(); },
      [self](const leadership_resumed&) {
        self->state.on_leadership_resumed();
      },
      [self](const actor_options_changed& c) {
        self->state.on_actor_options_changed(c);
      },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
      [self](const request_to_job& q) { return self->state.on_job_request(q); },
      [self](const request_to_jobs& q) {
        return self->state.on_jobs_request(q);
      },
      [self](const get_job_report& w) {
        return self->state.forward_job_report_request(w);
      },
      [self](drain) { return self->state.on_drain(); },
  };
}

} // namespace troupe::actors
