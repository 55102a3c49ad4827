#include "actors/queueing/queueing_watch.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace troupe::actors {

namespace {

constexpr std::chrono::seconds between_looks{30};
/// While webhooks begin to answer, or Kueue does again.
constexpr std::chrono::seconds until_decided{2};

/// What was known of kinds of which nothing can be said now stays.
core::queueing_options
with_what_was_known(core::queueing_options found,
                    const core::queueing_options& known) {
  if (!known.on)
    return found;
  for (auto i = found.undecided.begin(); i != found.undecided.end();) {
    if (known.undecided.count(*i) > 0) {
      ++i;
      continue;
    }
    if (known.left_to_kueue.count(*i) > 0)
      found.left_to_kueue.insert(*i);
    i = found.undecided.erase(i);
  }
  return found;
}

} // namespace

void queueing_watch_state::init(context_ptr context,
                                queueing_probe_config config,
                                queueing_listener_actor listener) {
  context_ = std::move(context);
  probe_ = queueing_probe{std::move(config)};
  listener_ = std::move(listener);
}

void queueing_watch_state::on_start() {
  execute(probe_.begin());
}

void queueing_watch_state::execute(queueing_probe::step next) {
  if (auto* call = std::get_if<k8s::request>(&next)) {
    self_->send(context_->gateway_for(""),
                api_call{++tag_, std::move(*call), "", call_priority::always,
                         caf::actor_cast<api_caller_actor>(self_)});
    return;
  }
  bool decided = true;
  if (auto* found = std::get_if<core::queueing_options>(&next)) {
    auto all = with_what_was_known(std::move(*found),
                                   context_->options->cluster.queueing);
    decided = all.undecided.empty();
    tell_if_changed(all);
  }
  self_->delayed_send(self_, decided ? between_looks : until_decided,
                      timer_fired{++tag_});
}

void queueing_watch_state::tell_if_changed(
    const core::queueing_options& found) {
  const auto& known = context_->options->cluster.queueing;
  bool vanished = known.on && !found.on;
  if (!(found == known) && !vanished)
    self_->send(listener_, queueing_changed{found});
}

void queueing_watch_state::on_api_response(const api_response& a) {
  if (a.tag != tag_)
    return;
  if (!*a.outcome && a.outcome->error().code == k8s::ec::cancelled)
    return; // The operator is stopping.
  execute(probe_.on_answer(*a.outcome));
}

report_ptr queueing_watch_state::report() const {
  const auto& known = context_->options->cluster.queueing;
  auto out = own_report(*self_, {{"on", known.on},
                                 {"leftToKueue", known.left_to_kueue},
                                 {"why", known.why_off}});
  return std::make_shared<const nlohmann::json>(std::move(out));
}

queueing_watch_actor::behavior_type
queueing_watch(self_pointer<queueing_watch_actor, queueing_watch_state> self,
               context_ptr context, queueing_probe_config config,
               queueing_listener_actor listener) {
  self->state.init(std::move(context), std::move(config), std::move(listener));
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.report(); },
      [self](atom::start) { self->state.on_start(); },
      [self](const api_response& a) { self->state.on_api_response(a); },
      [self](const timer_fired&) { self->state.on_start(); },
  };
}

} // namespace troupe::actors
