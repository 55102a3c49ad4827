#include "actors/api/server_probe.hpp"

#include "config/logging.hpp"
#include "frameworks/core/base/retry.hpp"
#include "k8s/calls.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace troupe::actors {

namespace {

/// Between two requests; with jitter, because other clients do the same.
constexpr std::chrono::milliseconds pause{250};

/// Time limit of a response; a server that needs longer is not ready.
constexpr std::chrono::milliseconds answer_limit{2000};

} // namespace

void server_probe_state::init(std::shared_ptr<k8s::api> client,
                              std::function<double()> jitter) {
  client_ = std::move(client);
  jitter_ = std::move(jitter);
}

void server_probe_state::on_watch_server_health(const watch_server_health& s) {
  if (std::find(listeners_.begin(), listeners_.end(), s.listener)
      == listeners_.end())
    listeners_.push_back(s.listener);
  if (!asking_ && !resting_)
    send_probe();
}

void server_probe_state::on_unwatch_server_health(
    const unwatch_server_health& s) {
  listeners_.erase(
      std::remove(listeners_.begin(), listeners_.end(), s.listener),
      listeners_.end());
  if (listeners_.empty())
    log_outage_end_if_away("API server is reachable again");
}

void server_probe_state::log_outage_end_if_away(const char* message) {
  unreachable_ = false;
  if (!std::exchange(away_, false))
    return;
  away_until_ = self_->clock().now();
  std::chrono::duration<double> outage = *away_until_ - away_since_;
  log::info(message, {{"outage_seconds", outage.count()}});
}

void server_probe_state::send_probe() {
  asking_ = true;
  caf::actor_addr me = self_->address();
  client_->send(
      k8s::get_readyz(), answer_limit, [me](k8s::result<std::string> r) {
        if (auto who = caf::actor_cast<server_probe_actor>(me))
          caf::anon_send(
              who,
              probe_finished{std::make_shared<const k8s::result<std::string>>(
                  std::move(r))});
      });
}

void server_probe_state::on_probe_finished(const probe_finished& f) {
  asking_ = false;
  schedule_next_probe();
  if (listeners_.empty())
    return; // Calls have succeeded meanwhile.
  if (!*f.outcome && f.outcome->error().code == k8s::ec::unreachable)
    unreachable_ = true;
  bool ready = core::answer_means_server_ready(*f.outcome, unreachable_);
  why_ = ready ? "" : f.outcome->error().message;
  if (ready) {
    log_outage_end_if_away("API server is ready again");
    for (const auto& who : std::exchange(listeners_, {}))
      self_->send(who, server_available{});
  } else {
    bool answers = f.outcome->error().code != k8s::ec::unreachable;
    if (!std::exchange(away_, true)) {
      away_since_ = self_->clock().now();
      log::warn("API server is not ready, queueing requests",
                {{"error", why_}});
    }
    for (const auto& who : listeners_)
      self_->send(who, server_unavailable{why_, answers});
  }
}

void server_probe_state::schedule_next_probe() {
  resting_ = true;
  auto spread =
      static_cast<int>(jitter_() * static_cast<double>(pause.count()));
  self_->delayed_send(self_, pause + std::chrono::milliseconds{spread},
                      timer_fired{});
}

void server_probe_state::on_timer(const timer_fired&) {
  resting_ = false;
  if (!listeners_.empty())
    send_probe();
}

nlohmann::json server_probe_state::seconds_since_outage_or_null() const {
  if (!away_until_)
    return nullptr;
  std::chrono::duration<double> passed = self_->clock().now() - *away_until_;
  return passed.count();
}

report_ptr server_probe_state::report() const {
  auto out = own_report(*self_,
                        {{"state", listeners_.empty() ? "idle"
                                   : away_            ? "away"
                                                      : "asking"},
                         {"secondsSinceOutage", seconds_since_outage_or_null()},
                         {"lastFailure", why_}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

server_probe_actor::behavior_type
server_probe(self_pointer<server_probe_actor, server_probe_state> self,
             std::shared_ptr<k8s::api> client, std::function<double()> jitter) {
  self->state.init(std::move(client), std::move(jitter));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](const watch_server_health& s) {
        self->state.on_watch_server_health(s);
      },
      [self](const unwatch_server_health& s) {
        self->state.on_unwatch_server_health(s);
      },
      [self](const probe_finished& f) { self->state.on_probe_finished(f); },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
  };
}

} // namespace troupe::actors
