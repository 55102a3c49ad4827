#include "actors/process/root.hpp"

#include "actors/base/job_pod_addresses.hpp"
#include "actors/base/joined_responses.hpp"
#include "actors/base/supervision.hpp"
#include "actors/metrics/metrics.hpp"
#include "actors/process/watch_plan.hpp"
#include "config/logging.hpp"
#include "k8s/calls.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

/// Of the time for a shutdown, kept for the release of the Lease, which may
/// have all that the calls in flight have left.
constexpr std::chrono::milliseconds release_time{500};

/// For the reports of the root's own actors, and of all actors.
constexpr std::chrono::milliseconds report_patience{500};
constexpr std::chrono::milliseconds tree_patience{2'000};

} // namespace

void root_state::start_all_actors() {
  if (config_.election && !elector_)
    start_leader_elector();
  watches_ = make_watch_plan(config_.kinds, *config_.options,
                             config_.webhooks.has_value());
  essential_ = essential_actors{self_, config_, {gate_, watches_, leading_}};
  watchers_.assign(watches_.size(), watcher_actor{});
  for (std::size_t i = 0; i < watches_.size(); ++i)
    start_watcher(i);
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

void root_state::start_watcher(std::size_t number) {
  watchers_[number] = self_->spawn<caf::linked>(
      watcher, context(), watches_[number], directories(),
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
  if (stopping_ || !context())
    return;
  auto delay = actor_restart_delay(++crashes_);
  log::warn("the API server went back to an older state (restored from a "
            "backup?), reading everything again",
            {{"resource", s.resource},
             {"version", s.version},
             {"knownVersion", s.known_version},
             {"delay_ms", delay.count()}});
  restart_all_except_elector_after(delay);
}

void root_state::restart_all_except_elector_after(
    std::chrono::milliseconds delay) {
  stop_all_actors_except_elector();
  restart_all_timer_ = next_timer_++;
  self_->delayed_send(self_, delay, timer_fired{restart_all_timer_});
}

void root_state::on_leadership_acquired() {
  if (!is_election_required() || stopping_)
    return;
  leading_ = true;
  for (const auto& d : directories().all())
    self_->send(d, atom::lead::value);
}

void root_state::on_leadership_lost() {
  if (!is_election_required() || stopping_)
    return;
  leading_ = false;
  if (!context())
    return; // All actors are stopped and will be started again.
  stop_all_actors_except_elector();
  start_all_actors();
}

void root_state::on_leadership_resumed() {
  if (context() && !stopping_)
    for (const auto& g : context()->gateways)
      self_->send(g, leadership_resumed{});
}

void root_state::on_actor_options_changed(const actor_options_changed& c) {
  auto options = std::make_shared<actor_options>(*c.options);
  // Settings do not say it; it was found out.
  options->cluster.queueing = config_.options->cluster.queueing;
  config_.options = options; // For actors that are started again.
  if (context())
    for (const auto& g : context()->gateways)
      self_->send(g, actor_options_changed{options});
}

/// The watches of the actors depend on it, so they are started again.
void root_state::on_queueing_changed(const queueing_changed& c) {
  if (stopping_ || !context())
    return;
  auto options = std::make_shared<actor_options>(*config_.options);
  options->cluster.queueing = c.options;
  config_.options = std::move(options);
  if (config_.known)
    config_.known->set(c.options);
  log::info("queueing has changed, starting all actors again",
            {{"on", c.options.on},
             {"why", c.options.why_off},
             {"left_to_its_own_integration",
              k8s::join({c.options.left_to_kueue.begin(),
                         c.options.left_to_kueue.end()},
                        ", ")}});
  restart_all_except_elector_after(std::chrono::milliseconds{0});
}

void root_state::update_readiness() {
  bool ready = !stopping_ && !watches_.empty();
  for (const auto& w : watches_)
    ready = ready && (synced_.count(w.number) > 0 || !w.needed_to_be_ready);
  if (ready && !config_.ready->exchange(true))
    log::info("caches are synced");
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
  restart_all_except_elector_after(delay);
}

const char*
root_state::name_of_essential_actor(const caf::actor_addr& source) const {
  if (elector_ && elector_.address() == source)
    return leader_elector_state::name;
  return essential_.name_of(source);
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

void root_state::stop_all_actors_except_elector() {
  synced_.clear();
  if (config_.pod_addresses)
    config_.pod_addresses->forget_all();
  update_readiness();
  restart_timers_.clear();
  for (auto& w : watchers_)
    if (auto running = std::exchange(w, nullptr))
      self_->send_exit(running, caf::exit_reason::user_shutdown);
  std::exchange(essential_, {}).end(self_);
}

void root_state::on_timer(const timer_fired& fired) {
  if (stopping_)
    return;
  if (fired.timer == restart_all_timer_) {
    restart_all_timer_ = 0;
    start_all_actors();
    return;
  }
  auto r = restart_timers_.find(fired.timer);
  if (r == restart_timers_.end())
    return;
  auto number = r->second;
  restart_timers_.erase(r);
  if (context())
    start_watcher(number);
}

caf::result<drained> root_state::on_drain() {
  stopping_ = true;
  drain_until_ = self_->clock().now() + config_.options->drain;
  update_readiness();
  auto promise = self_->make_response_promise<drained>();
  if (!context()) {
    release_lease_then_reply(promise);
    return promise;
  }
  for (auto& w : watchers_)
    if (w)
      self_->send_exit(w, caf::exit_reason::user_shutdown);
  draining_ = context()->gateways.size();
  auto one_less = [this, promise]() mutable {
    if (--draining_ == 0)
      release_lease_then_reply(promise);
  };
  auto limit = std::max(config_.options->drain - release_time,
                        config_.options->drain / 2);
  for (const auto& g : context()->gateways)
    self_->request(g, limit, drain{})
        .then([one_less](drained) mutable { one_less(); },
              [one_less](caf::error&) mutable { one_less(); });
  return promise;
}

void root_state::release_lease_then_reply(
    caf::typed_response_promise<drained> promise) {
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
      && !directories().empty())
    return std::nullopt;
  return job_response{503, "the operator is starting or ending; ask later"};
}

caf::result<job_response>
root_state::on_job_request(const request_to_job& request) {
  if (auto refusal = unavailable_response_unless_synced())
    return *refusal;
  return self_->delegate(
      directories().directory_of_job(request.ns, request.kind->names.type.kind,
                                     request.name),
      request);
}

caf::result<job_responses>
root_state::on_jobs_request(const request_to_jobs& request) {
  if (auto refusal = unavailable_response_unless_synced())
    return std::make_shared<const std::vector<job_response>>(1, *refusal);
  std::vector<response_source> all;
  for (const auto& d : directories().all())
    all.push_back([this, d, request](auto take) {
      self_->request(d, response_patience, request)
          .then([take](const job_responses& r) { take(*r); },
                [take](caf::error&) { take({}); });
    });
  return join_job_responses(self_->make_response_promise<job_responses>(), all);
}

caf::result<report_answer>
root_state::on_progress_report(const report_to_job& report) {
  if (auto refusal = unavailable_response_unless_synced())
    return report_answer{refusal->status, refusal->message, {}};
  return self_->delegate(
      directories().directory_of_job(
          report.ns, report.kinds.front()->names.type.kind, report.name),
      report);
}

caf::result<report_ptr>
root_state::forward_job_report_request(const get_job_report& w) {
  if (directories().empty())
    return report_ptr{};
  return self_->delegate(directories().directory_of_job(w.ns, w.kind, w.name),
                         w);
}

template <class Question>
caf::result<report_ptr>
root_state::reply_with_report_tree(Question question,
                                   std::chrono::milliseconds patience) {
  std::vector<reporting_actor> children;
  if (elector_)
    children.push_back(elector_);
  essential_.add_all_except_directories(children);
  for (const auto& w : watchers_)
    if (w)
      children.push_back(w);
  for (const auto& d : directories().all())
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
      [self](atom::start) { self->state.start_all_actors(); },
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
      [self](const queueing_changed& c) { self->state.on_queueing_changed(c); },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
      [self](const request_to_job& q) { return self->state.on_job_request(q); },
      [self](const request_to_jobs& q) {
        return self->state.on_jobs_request(q);
      },
      [self](const report_to_job& r) {
        return self->state.on_progress_report(r);
      },
      [self](const get_job_report& w) {
        return self->state.forward_job_report_request(w);
      },
      [self](drain) { return self->state.on_drain(); },
  };
}

} // namespace troupe::actors
