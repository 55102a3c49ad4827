#include "actors/leadership/other_operator_watch.hpp"

#include "actors/base/other_operator.hpp"
#include "config/logging.hpp"
#include "k8s/calls.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe::actors {

namespace {

/// A Lease that is left behind ends jobs' wait within three of these.
constexpr std::chrono::seconds between_reads{5};

using verdict = lease_observation::verdict;

const char* to_text(verdict v) {
  switch (v) {
  case verdict::unknown:
    return "unknown";
  case verdict::held:
    return "held";
  case verdict::free:
    return "free";
  }
  return "";
}

} // namespace

void other_operator_watch_state::init(
    context_ptr context, other_operator_config config,
    std::vector<directory_actor> directories) {
  context_ = std::move(context);
  config_ = std::move(config);
  directories_ = std::move(directories);
  for (auto& ns : config_.namespaces)
    places_.push_back({ns, {}, {}});
}

void other_operator_watch_state::read_leases() {
  unanswered_ = places_.size();
  for (std::size_t i = 0; i < places_.size(); ++i)
    self_->send(
        context_->gateway_for(""),
        api_call{
            i, k8s::get({k8s::resources::leases, places_[i].ns, config_.lease}),
            "", call_priority::always,
            caf::actor_cast<api_caller_actor>(self_)});
}

void other_operator_watch_state::on_api_response(const api_response& a) {
  if (!*a.outcome && a.outcome->error().code == k8s::ec::cancelled)
    return; // The operator is stopping.
  auto& where = places_[a.tag];
  if (!*a.outcome)
    log_new_failure(where, a.outcome->error());
  else
    where.last_failure.clear();
  where.lease.on_response(*a.outcome, config_.since_boot());
  if (--unanswered_ > 0)
    return;
  publish_reason();
  self_->delayed_send(self_, between_reads, timer_fired{});
}

void other_operator_watch_state::log_new_failure(place& where,
                                                 const k8s::failure& why) {
  if (why.code != k8s::ec::not_found
      && std::exchange(where.last_failure, why.message) != why.message)
    log::warn(
        "failed to read the lease of another operator",
        {{"lease", where.ns + "/" + config_.lease}, {"error", why.message}});
}

std::string other_operator_watch_state::reason() const {
  bool unknown = false;
  for (const auto& p : places_) {
    if (p.lease.current() == verdict::held)
      return config_.lease + " runs: " + p.lease.holder() + " holds the Lease "
             + p.ns + "/" + config_.lease;
    unknown = unknown || p.lease.current() == verdict::unknown;
  }
  return unknown ? unknown_operator_reason(config_.lease) : "";
}

void other_operator_watch_state::publish_reason() {
  auto now = reason();
  if (!context_->other->set_reason(now))
    return;
  if (now.empty())
    log::info("no other operator holds the lease, its jobs are looked after",
              {{"operator", config_.lease}});
  else
    log::warn("another operator may look after its jobs, they are left to it; "
              "to change over, scale its Deployment to 0 (docs/migration.md)",
              {{"operator", config_.lease}, {"why", now}});
  for (const auto& one : directories_)
    self_->send(one, atom::other_operator::value);
}

report_ptr other_operator_watch_state::report() const {
  auto leases = nlohmann::json::object();
  for (const auto& p : places_)
    leases[p.ns + "/" + config_.lease] = to_text(p.lease.current());
  auto out = own_report(
      *self_, {{"leases", leases}, {"reason", context_->other->reason()}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

other_operator_watch_actor::behavior_type other_operator_watch(
    self_pointer<other_operator_watch_actor, other_operator_watch_state> self,
    context_ptr context, other_operator_config config,
    std::vector<directory_actor> directories) {
  self->state.init(std::move(context), std::move(config),
                   std::move(directories));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](atom::start) { self->state.read_leases(); },
      [self](const api_response& a) { self->state.on_api_response(a); },
      [self](const timer_fired&) { self->state.read_leases(); },
  };
}

} // namespace troupe::actors
