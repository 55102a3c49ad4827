#include "actors/process/essential_actors.hpp"

#include "actors/api/gateway.hpp"
#include "actors/api/server_probe.hpp"
#include "actors/base/other_operator.hpp"
#include "actors/events/event_recorder.hpp"
#include "actors/jobs/directory.hpp"
#include "actors/jobs/job_timers.hpp"
#include "actors/queueing/queue_news_reader.hpp"
#include "actors/queueing/queueing_watch.hpp"
#include "actors/queueing/workload_releaser.hpp"
#include "actors/reports/log_reader.hpp"
#include "actors/reports/report_intake.hpp"
#include "frameworks/core/spec/pod_progress.hpp"

namespace troupe::actors {

essential_actors::essential_actors(root_actor::pointer root,
                                   const root_config& config,
                                   const purpose& what) {
  start_actors_of_context(root, config, what);
  if (config.webhooks)
    start_certificate_rotator(root, *config.webhooks);
  if (config.forwarding)
    start_forwarding_key(root, *config.forwarding);
  start_directories(root, config, what);
  if (config.other)
    start_other_operator_watch(root, *config.other);
  if (config.reports)
    start_report_intake(root, config);
  if (config.queueing)
    start_queueing(root, config);
}

void essential_actors::start_actors_of_context(root_actor::pointer root,
                                               const root_config& config,
                                               const purpose& what) {
  auto l = std::make_shared<actor_context>();
  l->clock = config.clock;
  l->jitter = config.jitter;
  l->counters = config.counters;
  l->jobs = config.jobs;
  l->options = config.options;
  l->pod_addresses = config.pod_addresses;
  if (config.reports)
    l->reports = config.reports->authority();
  if (config.other)
    l->other = std::make_shared<other_operator>(
        unknown_operator_reason(config.other->lease));
  auto probe =
      root->spawn<caf::linked>(server_probe, config.client, config.jitter);
  for (int i = 0; i < config.options->gateways; ++i) {
    l->gateways.push_back(root->spawn<caf::linked>(
        gateway, gateway_config{config.client, config.options, config.counters,
                                config.jitter, probe, what.gate}));
    others_.push_back({gateway_state::name, l->gateways.back()});
  }
  l->timers = root->spawn<caf::linked>(job_timers);
  l->logs = root->spawn<caf::linked>(
      log_reader,
      log_reader_config{config.client,
                        static_cast<std::size_t>(config.options->log_streams)});
  // The recorder gets the links without itself: it does not exist yet, and it
  // never sends to itself.
  if (config.options->cluster.queueing.on) {
    l->releaser = root->spawn<caf::linked>(
        workload_releaser, std::make_shared<const actor_context>(*l));
    others_.push_back({workload_releaser_state::name, l->releaser});
    l->queue_news = root->spawn<caf::linked>(
        queue_news_reader, std::make_shared<const actor_context>(*l));
    others_.push_back({queue_news_reader_state::name, l->queue_news});
  }
  auto without_recorder = std::make_shared<const actor_context>(*l);
  l->recorder = root->spawn<caf::linked>(event_recorder, without_recorder);
  others_.push_back({server_probe_state::name, probe});
  others_.push_back({event_recorder_state::name, l->recorder});
  others_.push_back({job_timers_state::name, l->timers});
  others_.push_back({log_reader_state::name, l->logs});
  context_ = l;
}

void essential_actors::start_certificate_rotator(
    root_actor::pointer root, const certificate_rotator_config& config) {
  auto rotator =
      root->spawn<caf::linked>(certificate_rotator, context_, config);
  others_.push_back({certificate_rotator_state::name, rotator});
  root->send(rotator, atom::start::value);
}

void essential_actors::start_forwarding_key(
    root_actor::pointer root, const forwarding_key_config& config) {
  auto key = root->spawn<caf::linked>(forwarding_key, context_, config);
  others_.push_back({forwarding_key_state::name, key});
  root->send(key, atom::start::value);
}

void essential_actors::start_other_operator_watch(
    root_actor::pointer root, const other_operator_config& config) {
  auto watch = root->spawn<caf::linked>(other_operator_watch, context_, config,
                                        directories_.all());
  others_.push_back({other_operator_watch_state::name, watch});
  root->send(watch, atom::start::value);
}

void essential_actors::start_queueing(root_actor::pointer root,
                                      const root_config& config) {
  auto watch =
      root->spawn<caf::linked>(queueing_watch, context_, *config.queueing,
                               caf::actor_cast<queueing_listener_actor>(root));
  others_.push_back({queueing_watch_state::name, watch});
  root->send(watch, atom::start::value);
}

void essential_actors::start_report_intake(root_actor::pointer root,
                                           const root_config& config) {
  report_intake_config reports;
  for (const auto* kind : config.kinds)
    if (core::takes_reports(*kind))
      reports.kinds.push_back(kind);
  reports.route = config.reports;
  auto intake =
      root->spawn<caf::linked>(report_intake, context_, reports, directories_);
  others_.push_back({report_intake_state::name, intake});
  config.reports->set_intake(intake);
}

void essential_actors::start_directories(root_actor::pointer root,
                                         const root_config& config,
                                         const purpose& what) {
  std::vector<watch_target> children;
  for (const auto& w : what.watches)
    if (!w.about.job_kind)
      children.push_back(w.about);
  std::vector<directory_actor> all;
  for (int i = 0; i < config.options->directories; ++i)
    all.push_back(
        root->spawn<caf::linked>(directory, context_, children, what.leading));
  for (const auto& one : all) {
    peer_directories peers;
    for (const auto& other : all)
      if (other != one)
        peers.all.push_back(caf::actor_cast<peer_directory_actor>(other));
    root->send(one, std::move(peers));
  }
  directories_ = directory_shards{std::move(all)};
}

void essential_actors::end(root_actor::pointer root) const {
  for (const auto& d : directories_.all())
    root->send_exit(d, caf::exit_reason::user_shutdown);
  for (const auto& other : others_)
    root->send_exit(other.actor, caf::exit_reason::user_shutdown);
}

const char* essential_actors::name_of(const caf::actor_addr& source) const {
  for (const auto& d : directories_.all())
    if (d.address() == source)
      return directory_state::name;
  for (const auto& other : others_)
    if (other.actor.address() == source)
      return other.name;
  return nullptr;
}

void essential_actors::add_all_except_directories(
    std::vector<reporting_actor>& all) const {
  for (const auto& other : others_)
    all.push_back(other.actor);
}

} // namespace troupe::actors
