#include "actors/leadership/leader_elector.hpp"

#include "actors/leadership/leadership_event.hpp"
#include "actors/metrics/metrics.hpp"
#include "config/logging.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe::actors {

void leader_elector_state::init(leader_elector_config config,
                                leadership_listener_actor listener) {
  config_ = std::move(config);
  listener_ = std::move(listener);
  election_ = lease_election{config_.lease, *config_.writes};
  identity_ = election_.config().identity;
  config_.counters->set_leading(config_.lease.lease.name, false);
  self_->send(self_, timer_fired{});
}

void leader_elector_state::on_timer(const timer_fired&) {
  if (!stopping_)
    send_acquire_or_renew();
}

void leader_elector_state::send_acquire_or_renew() {
  send_lease_call(
      election_.begin_acquire_or_renew(config_.since_boot(), config_.clock()));
}

void leader_elector_state::send_lease_call(k8s::request r) {
  *config_.writes = election_.own_writes();
  is_call_under_way_ = true;
  // The callback runs on the API client's thread: it only sends a message.
  caf::actor_addr me = self_->address();
  config_.client->send(
      std::move(r), config_.lease.times.renew_deadline / 2,
      [me, call = ++calls_](k8s::result<std::string> outcome) {
        if (auto who = caf::actor_cast<leader_elector_actor>(me))
          caf::anon_send(
              who, lease_response{
                       call, std::make_shared<const k8s::result<std::string>>(
                                 std::move(outcome))});
      });
}

/// Nobody waits for the Event, and it is written once: it is no state.
void leader_elector_state::send_leadership_event(bool leads) {
  config_.client->send(leadership_event_request(election_.lease_json(),
                                                election_.config().identity,
                                                leads, config_.clock()),
                       config_.lease.times.renew_deadline,
                       [](const k8s::result<std::string>& outcome) {
                         if (!outcome)
                           log::debug("failed to write the event on the lease",
                                      {{"error", outcome.error().message}});
                       });
}

void leader_elector_state::on_lease_response(const lease_response& a) {
  if (a.call != calls_)
    return;
  is_call_under_way_ = false;
  if (stopping_) {
    on_response_while_stopping(*a.outcome);
    return;
  }
  if (!*a.outcome)
    log_first_unexpected_failure(a.outcome->error());
  else
    failing_ = false;
  apply_election_step(election_.on_response(*a.outcome, config_.since_boot(),
                                            config_.clock(), config_.jitter()));
}

void leader_elector_state::apply_election_step(lease_election::step step) {
  if (election_.config().identity != identity_) {
    log::warn("another process has the identity of this one (a machine that "
              "was resumed twice from one snapshot?), it gets a new one",
              {{"lease", lease_name()}, {"identity", identity_}});
    identity_ = election_.config().identity;
  }
  if (election_.lease_holder() != holder_) {
    holder_ = election_.lease_holder();
    if (holder_ != election_.config().identity)
      log::info("new leader elected",
                {{"lease", lease_name()}, {"holder", holder_}});
  }
  if (config_.lease.observed)
    config_.lease.observed(election_.is_leader(), election_.lease_json());
  bool was_open = config_.gate->is_open();
  if (election_.is_leader())
    config_.gate->open_gate_until(election_.may_write_until());
  switch (step.what) {
  case lease_election::change::acquired:
    log::info(
        "successfully acquired lease",
        {{"lease", lease_name()}, {"identity", election_.config().identity}});
    config_.counters->set_leading(config_.lease.lease.name, true);
    self_->send(listener_, leadership_acquired{});
    send_leadership_event(true);
    break;
  case lease_election::change::lost:
    log::warn("leader election lost",
              {{"lease", lease_name()}, {"holder", holder_}});
    config_.gate->close();
    config_.counters->set_leading(config_.lease.lease.name, false);
    self_->send(listener_, leadership_lost{});
    send_leadership_event(false);
    break;
  case lease_election::change::none:
    if (!was_open && config_.gate->is_open()) {
      log::info("lease renewed, resuming writes", {{"lease", lease_name()}});
      self_->send(listener_, leadership_resumed{});
    }
    break;
  }
  if (step.request)
    send_lease_call(std::move(*step.request));
  else
    self_->delayed_send(self_, step.pause, timer_fired{});
}

std::string leader_elector_state::lease_name() const {
  return config_.lease.lease.ns + "/" + config_.lease.lease.name;
}

void leader_elector_state::log_first_unexpected_failure(
    const k8s::failure& why) {
  bool expected = why.code == k8s::ec::not_found
                  || why.code == k8s::ec::conflict
                  || why.code == k8s::ec::exists;
  if (expected || std::exchange(failing_, true))
    return;
  log::warn("failed to get or update lease, will retry",
            {{"lease", lease_name()}, {"error", why.message}});
}

caf::result<drained> leader_elector_state::on_drain() {
  stopping_ = true;
  draining_ = self_->make_response_promise<drained>();
  auto promise = draining_;
  config_.gate->close();
  if (election_.is_leader())
    send_leadership_event(false);
  if (!is_call_under_way_)
    release_lease_or_finish_drain();
  return promise;
}

void leader_elector_state::on_response_while_stopping(
    const k8s::result<std::string>& outcome) {
  if (is_released_) {
    finish_drain();
    return;
  }
  auto step = election_.on_response(outcome, config_.since_boot(),
                                    config_.clock(), config_.jitter());
  bool must_read = step.request && step.request->method == k8s::verb::get;
  if (must_read)
    send_lease_call(std::move(*step.request));
  else
    release_lease_or_finish_drain();
}

void leader_elector_state::release_lease_or_finish_drain() {
  if (auto release =
          election_.stop_leading_and_begin_release(config_.clock())) {
    is_released_ = true;
    send_lease_call(std::move(*release));
  } else {
    finish_drain();
  }
}

void leader_elector_state::finish_drain() {
  config_.counters->set_leading(config_.lease.lease.name, false);
  draining_.deliver(drained{});
}

report_ptr leader_elector_state::report() const {
  auto out =
      own_report(*self_, {{"state", !election_.is_leader()    ? "standby"
                                    : config_.gate->is_open() ? "leading"
                                                              : "renewing"},
                          {"identity", election_.config().identity},
                          {"holder", election_.lease_holder()},
                          {"lease", lease_name()}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

leader_elector_actor::behavior_type
leader_elector(self_pointer<leader_elector_actor, leader_elector_state> self,
               leader_elector_config config,
               leadership_listener_actor listener) {
  self->state.init(std::move(config), std::move(listener));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](const lease_response& a) { self->state.on_lease_response(a); },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
      [self](drain) { return self->state.on_drain(); },
  };
}

} // namespace troupe::actors
