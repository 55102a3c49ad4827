#include "actors/leader_elector.hpp"

#include "actors/leadership_event.hpp"
#include "actors/metrics.hpp"
#include "config/logging.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe::actors {

void leader_elector_state::init(leader_elector_config config,
                                leadership_listener_actor listener) {
  config_ = std::move(config);
  listener_ = std::move(listener);
  election_ = lease_election{config_.lease};
  config_.counters->set_leading(config_.lease.lease.name, false);
  self_->send(self_, timer_fired{});
}

void leader_elector_state::on_timer(const timer_fired&) {
  if (!stopping_)
    attempt();
}

void leader_elector_state::attempt() {
  send(election_.begin(config_.since_boot(), config_.clock()));
}

void leader_elector_state::send(k8s::request r) {
  // The callback runs on the API client's thread: it only sends a message.
  caf::actor_addr me = self_->address();
  config_.client->send(
      std::move(r), config_.lease.times.renew_deadline / 2,
      [me, call = ++calls_](k8s::result<std::string> outcome) {
        if (auto who = caf::actor_cast<leader_elector_actor>(me))
          caf::anon_send(
              who, lease_answered{
                       call, std::make_shared<const k8s::result<std::string>>(
                                 std::move(outcome))});
      });
}

/// Nobody waits for the Event, and it is written once: it is no state.
void leader_elector_state::write_event(bool leads) {
  config_.client->send(leadership_event(election_.lease(),
                                        config_.lease.identity, leads,
                                        config_.clock()),
                       config_.lease.times.renew_deadline,
                       [](const k8s::result<std::string>& outcome) {
                         if (!outcome)
                           log::debug("cannot write the event on the Lease",
                                      {{"error", outcome.error().message}});
                       });
}

void leader_elector_state::on_lease_answered(const lease_answered& a) {
  if (a.call != calls_)
    return;
  if (stopping_) {
    finish_drain();
    return;
  }
  if (!*a.outcome)
    log_failure(a.outcome->error());
  else
    failing_ = false;
  apply(election_.on_answer(*a.outcome, config_.since_boot(), config_.clock(),
                            config_.jitter()));
}

void leader_elector_state::apply(lease_election::step step) {
  if (election_.holder() != holder_) {
    holder_ = election_.holder();
    if (holder_ != config_.lease.identity)
      log::info("another process holds the Lease", {{"holder", holder_}});
  }
  if (config_.lease.observed)
    config_.lease.observed(election_.leads(), election_.lease());
  bool was_open = config_.gate->is_open();
  if (election_.leads())
    config_.gate->open_until(election_.writes_end());
  switch (step.what) {
  case lease_election::change::acquired:
    log::info("acquired the Lease", {{"identity", config_.lease.identity}});
    config_.counters->set_leading(config_.lease.lease.name, true);
    self_->send(listener_, leadership_acquired{});
    write_event(true);
    break;
  case lease_election::change::lost:
    log::warn("lost the Lease", {{"holder", holder_}});
    config_.gate->close();
    config_.counters->set_leading(config_.lease.lease.name, false);
    self_->send(listener_, leadership_lost{});
    write_event(false);
    break;
  case lease_election::change::none:
    if (!was_open && config_.gate->is_open()) {
      log::info("renewed the Lease, writing again");
      self_->send(listener_, leadership_resumed{});
    }
    break;
  }
  if (step.request)
    send(std::move(*step.request));
  else
    self_->delayed_send(self_, step.pause, timer_fired{});
}

void leader_elector_state::log_failure(const k8s::failure& why) {
  bool expected = why.code == k8s::ec::not_found
                  || why.code == k8s::ec::conflict
                  || why.code == k8s::ec::exists;
  if (expected || std::exchange(failing_, true))
    return;
  log::warn("cannot read or write the Lease, retrying",
            {{"lease", config_.lease.lease.ns + "/" + config_.lease.lease.name},
             {"error", why.message}});
}

caf::result<drained> leader_elector_state::on_drain() {
  stopping_ = true;
  draining_ = self_->make_response_promise<drained>();
  auto promise = draining_;
  config_.gate->close();
  if (election_.leads())
    write_event(false);
  if (auto release = election_.release(config_.clock()))
    send(std::move(*release));
  else
    finish_drain();
  return promise;
}

void leader_elector_state::finish_drain() {
  config_.counters->set_leading(config_.lease.lease.name, false);
  draining_.deliver(drained{});
}

report_ptr leader_elector_state::report() const {
  auto out = own_report(
      *self_,
      {{"state", !election_.leads()        ? "standby"
                 : config_.gate->is_open() ? "leading"
                                           : "renewing"},
       {"identity", config_.lease.identity},
       {"holder", election_.holder()},
       {"lease", config_.lease.lease.ns + "/" + config_.lease.lease.name}});
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
      [self](const lease_answered& a) { self->state.on_lease_answered(a); },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
      [self](drain) { return self->state.on_drain(); },
  };
}

} // namespace troupe::actors
