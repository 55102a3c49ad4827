#include "actors/jobs/directory.hpp"

#include "actors/base/joined_responses.hpp"
#include "actors/base/supervision.hpp"
#include "actors/jobs/job_supervisor.hpp"
#include "actors/metrics/metrics.hpp"
#include "config/logging.hpp"
#include "frameworks/core/pass/auxiliary_objects.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "frameworks/core/spec/pod_progress.hpp"
#include "frameworks/registry.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace troupe::actors {

void directory_state::init(context_ptr context,
                           std::vector<watch_target> child_targets,
                           bool is_leader) {
  context_ = std::move(context);
  unlisted_ = std::move(child_targets);
  leading_ = is_leader;
  std::set<const core::framework*> managed;
  for (const auto& target : unlisted_)
    managed.insert(target.labelled.begin(), target.labelled.end());
  for (const auto& kind : frameworks::all())
    if (!managed.empty() && managed.count(&kind) == 0)
      routes_.on_jobs_listed(&kind); // Nobody will list them.
}

void directory_state::on_leadership_acquired() {
  leading_ = true;
  start_held_jobs_if_possible();
}

void directory_state::start_held_jobs_if_possible() {
  if (!can_start_supervisors())
    return;
  // Each is released before the next one: together they may be large.
  for (auto held = std::exchange(held_, {}); !held.empty();)
    on_job_seen(held.extract(held.begin()).mapped());
  for (const auto* kind : listed_job_kinds_)
    routes_.on_jobs_listed(kind);
  if (context_->releaser)
    self_->send(context_->releaser, atom::start::value);
  // Those of jobs that are still there are left to their supervisors.
  for (const auto& [uid, all] : leaving_workloads_)
    release_workloads_of_job(uid);
}

void directory_state::on_report_authority_changed() {
  for (const auto& [uid, e] : jobs_)
    if (e.supervisor && core::takes_reports(*e.ref->kind))
      self_->send(e.supervisor, atom::report_authority::value);
}

void directory_state::on_other_operator_changed() {
  for (const auto& [uid, e] : jobs_)
    if (e.supervisor && *e.ref->kind->names.other_operator_lease != '\0')
      self_->send(e.supervisor, atom::other_operator::value);
}

// -- jobs ---------------------------------------------------------------------

void directory_state::on_job_seen(const job_seen& fact) {
  const auto& meta = fact.item->meta;
  if (is_known_of_other_row(fact)) {
    if (core::birth_of(*fact.kind, *fact.item) != core::birth::of_this_row)
      return; // Only one row takes it, and the first has.
    held_.erase(meta.uid);
    forget_job_and_stop_supervisor(meta.uid);
  }
  if (!can_start_supervisors()) {
    held_[meta.uid] = fact;
    return;
  }
  auto i = jobs_.find(meta.uid);
  if (i == jobs_.end()) {
    record_job_and_spawn_supervisor(fact);
    return;
  }
  i->second.list_number = fact.list_number;
  i->second.version = std::max(i->second.version, meta.resource_version);
  if (i->second.supervisor)
    self_->send(i->second.supervisor, fact);
}

bool directory_state::is_known_of_other_row(const job_seen& fact) const {
  if (*fact.kind->names.born_as == '\0')
    return false;
  const auto& uid = fact.item->meta.uid;
  if (auto i = jobs_.find(uid); i != jobs_.end())
    return i->second.ref->kind != fact.kind;
  auto held = held_.find(uid);
  return held != held_.end() && held->second.kind != fact.kind;
}

void directory_state::record_job_and_spawn_supervisor(const job_seen& fact) {
  const auto& meta = fact.item->meta;
  // A new job with the name of an old one: the old one's deletion was not seen,
  // or this is the old one, shown by the watch of another version, which lags.
  if (const auto* old = routes_.find_job_of_any_version(
          meta.ns, fact.kind->names.type.kind, meta.name)) {
    if (jobs_.at(*old).version > meta.resource_version)
      return;
    forget_job_and_stop_supervisor(core::uid_key{*old});
  }
  auto& e = jobs_[meta.uid];
  e.ref = std::make_shared<const job_reference>(
      job_reference{fact.kind, meta.ns, meta.name, meta.uid});
  e.list_number = fact.list_number;
  e.version = meta.resource_version;
  auto waiting = routes_.add_job(e.ref);
  spawn_supervisor(
      e, {e.ref, !waiting.not_kept.empty(), std::move(waiting.facts), fact});
}

void directory_state::spawn_supervisor(entry& e, supervisor_config config) {
  e.supervisor =
      self_->spawn<caf::linked>(job_supervisor, context_, std::move(config));
}

void directory_state::on_job_deleted(const job_deleted& fact) {
  const auto& uid = fact.item->meta.uid;
  held_.erase(uid);
  forget_job_and_stop_supervisor(uid);
}

void directory_state::forget_job_and_stop_supervisor(const core::uid_key& uid) {
  routes_.remove_job(uid);
  release_workloads_of_job(uid.text());
  auto i = jobs_.find(uid);
  if (i == jobs_.end())
    return;
  auto supervisor = std::move(i->second.supervisor);
  jobs_.erase(i);
  if (!supervisor)
    return;
  retired_.insert(supervisor.address());
  self_->send<caf::message_priority::high>(supervisor,
                                           atom::job_removed::value);
}

const job_supervisor_actor&
directory_state::supervisor_of(const core::uid_key* uid) const {
  static const job_supervisor_actor none;
  auto i = uid ? jobs_.find(*uid) : jobs_.end();
  return i == jobs_.end() ? none : i->second.supervisor;
}

// -- children -----------------------------------------------------------------

template <class Fact>
void directory_state::send_to_supervisor_if_any(const core::uid_key* uid,
                                                const Fact& fact) {
  if (const auto& supervisor = supervisor_of(uid))
    self_->send(supervisor, fact);
}

void directory_state::on_child_seen(const child_seen& fact) {
  auto route = routes_.record_seen(fact);
  if (route.from)
    send_to_supervisor_if_any(route.from, child_deleted{fact});
  if (route.is_new)
    for (const auto& peer : peers_)
      self_->send(peer, child_moved{fact});
  send_to_supervisor_if_any(route.to, fact);
  if (fact.kind == core::child_kind::workload && fact.item->meta.deleted)
    note_leaving_workload(fact, route.to != nullptr);
}

void directory_state::note_leaving_workload(const child_seen& fact,
                                            bool is_of_known_job) {
  const auto& meta = fact.item->meta;
  const auto* owner = meta.controller();
  if (!owner || !context_->releaser)
    return;
  release_workload r{meta.ns, meta.name, meta.uid, *owner};
  leaving_workloads_[owner->uid][meta.uid] = r;
  if (!is_of_known_job && can_start_supervisors())
    self_->send(context_->releaser, std::move(r));
}

void directory_state::forget_leaving_workload(
    const k8s::object_meta& workload) {
  const auto* owner = workload.controller();
  auto i = leaving_workloads_.find(owner ? owner->uid : "");
  if (i == leaving_workloads_.end())
    return;
  i->second.erase(workload.uid);
  if (i->second.empty())
    leaving_workloads_.erase(i);
}

/// Its supervisor may have failed before it could tell of them.
void directory_state::release_workloads_of_job(const std::string& job_uid) {
  auto i = leaving_workloads_.find(job_uid);
  if (i == leaving_workloads_.end() || !can_start_supervisors())
    return;
  for (const auto& [uid, one] : i->second)
    self_->send(context_->releaser, one);
}

void directory_state::on_child_moved(const child_moved& m) {
  send_to_supervisor_if_any(routes_.forget_child_if_moved(m.fact),
                            child_deleted{m.fact});
}

void directory_state::on_child_deleted(const child_deleted& fact) {
  if (fact.kind == core::child_kind::workload)
    forget_leaving_workload(fact.item->meta);
  send_to_supervisor_if_any(routes_.record_deleted(fact), fact);
}

bool directory_state::may_have_children(const core::framework& kind,
                                        core::child_kind what) const {
  if (core::is_replica_child(what))
    return true;
  auto all = core::auxiliary_kinds_for(kind, context_->options->cluster);
  return std::find(all.begin(), all.end(), what) != all.end();
}

// -- lists --------------------------------------------------------------------

void directory_state::on_list_complete(const list_complete& fact) {
  if (fact.about.job_kind) {
    stop_and_forget_unlisted_jobs(fact);
    listed_job_kinds_.insert(fact.about.job_kind);
    if (can_start_supervisors()) // Else all children are unclaimed.
      routes_.on_jobs_listed(fact.about.job_kind);
    return;
  }
  routes_.forget_unlisted(fact);
  for (auto& [uid, e] : jobs_)
    if (e.supervisor && fact.about.lists_children_of(e.ref->kind, e.ref->ns)
        && may_have_children(*e.ref->kind, fact.about.children))
      self_->send(e.supervisor, fact);
  auto done = std::remove(unlisted_.begin(), unlisted_.end(), fact.about);
  if (done == unlisted_.end())
    return;
  unlisted_.erase(done, unlisted_.end());
  start_held_jobs_if_possible();
}

void directory_state::stop_and_forget_unlisted_jobs(const list_complete& fact) {
  auto unconfirmed = [&](const job_seen& s) {
    return s.kind == fact.about.job_kind
           && fact.about.lists_children_of(s.kind, s.item->meta.ns)
           && s.list_number < fact.list_number
           && s.item->meta.resource_version <= fact.version;
  };
  for (auto i = held_.begin(); i != held_.end();)
    i = unconfirmed(i->second) ? held_.erase(i) : std::next(i);
  std::vector<core::uid_key> gone;
  for (const auto& [uid, e] : jobs_)
    if (e.ref->kind == fact.about.job_kind
        && fact.about.lists_children_of(e.ref->kind, e.ref->ns)
        && e.list_number < fact.list_number && e.version <= fact.version)
      gone.push_back(uid);
  for (const auto& uid : gone)
    forget_job_and_stop_supervisor(uid);
}

// -- life ---------------------------------------------------------------------

void directory_state::on_exit(const caf::exit_msg& m) {
  if (retired_.erase(m.source) > 0)
    return;
  auto i = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& job) {
    return job.second.supervisor && job.second.supervisor.address() == m.source;
  });
  if (i == jobs_.end()) {
    self_->quit(m.reason); // The parent ended us.
    return;
  }
  auto& e = i->second;
  e.supervisor = nullptr;
  auto delay = actor_restart_delay(++e.crashes);
  context_->counters->count_actor_restart("job-supervisor");
  log::error("actor failed, restarting",
             {{"actor", job_supervisor_state::name},
              {"error", self_->system().render(m.reason)},
              {"kind", e.ref->kind->names.type.kind},
              {"job", e.ref->ns + "/" + e.ref->name},
              {"delay_ms", delay.count()}});
  auto timer = next_timer_++;
  restart_timers_.emplace(timer, i->first);
  self_->delayed_send(self_, delay, timer_fired{timer});
}

void directory_state::on_timer(const timer_fired& fired) {
  auto r = restart_timers_.find(fired.timer);
  if (r == restart_timers_.end())
    return;
  auto i = jobs_.find(r->second);
  restart_timers_.erase(r);
  if (i != jobs_.end() && !i->second.supervisor)
    spawn_supervisor(i->second, {i->second.ref, true});
}

// -- requests -----------------------------------------------------------------

caf::result<job_response>
directory_state::on_job_request(const request_to_job& request) {
  if (!can_start_supervisors())
    return job_response{503, "the operator has just started; ask later"};
  const auto* job = routes_.find_job(*request.kind, request.ns, request.name);
  if (!job)
    return job_response{404, "", "null", true};
  const auto& supervisor = supervisor_of(job);
  if (!supervisor)
    return job_response{503, "the operator has a problem with this job; ask "
                             "later"};
  return self_->delegate(supervisor, request);
}

caf::result<report_answer>
directory_state::on_progress_report(const report_to_job& report) {
  if (!can_start_supervisors())
    return report_answer{
        503, "the operator has just started; report later", {}};
  for (const auto* kind : report.kinds)
    if (const auto* job = routes_.find_job(*kind, report.ns, report.name)) {
      if (const auto& supervisor = supervisor_of(job))
        return self_->delegate(supervisor, report);
      if (!report.asks)
        return report_answer{
            503, "the operator has a problem with this job; report later", {}};
    }
  return report_answer{404, "there is no such job any more", {}};
}

caf::result<job_responses>
directory_state::on_jobs_request(const request_to_jobs& request) {
  std::vector<response_source> all;
  for (const auto* uid : routes_.find_jobs(*request.kind, request.ns)) {
    const auto& e = jobs_.at(*uid);
    if (e.supervisor)
      all.push_back([this, who = e.supervisor, ref = e.ref,
                     what = request.what](auto take) {
        self_
            ->request(who, response_patience,
                      request_to_job{ref->kind, ref->ns, ref->name, what})
            .then([take](const job_response& r) { take({r}); },
                  [take](caf::error&) { take({}); });
      });
  }
  return join_job_responses(self_->make_response_promise<job_responses>(), all);
}

// -- looking inside -----------------------------------------------------------

caf::result<report_ptr>
directory_state::forward_job_report_request(const get_job_report& w) {
  const auto& supervisor =
      supervisor_of(routes_.find_job_of_any_version(w.ns, w.kind, w.name));
  if (!supervisor)
    return report_ptr{};
  return self_->delegate(supervisor, get_report{});
}

report_ptr directory_state::report() const {
  return std::make_shared<const nlohmann::json>(short_report());
}

nlohmann::json directory_state::short_report() const {
  return own_report(*self_, {{"jobs", jobs_.size()},
                             {"leading", leading_},
                             {"jobsHeld", held_.size()},
                             {"waitingForLists", unlisted_.size()},
                             {"childrenKnown", routes_.known()},
                             {"childrenUnclaimed", routes_.unclaimed()}});
}

caf::result<report_ptr> directory_state::reply_with_report_tree() {
  std::vector<reporting_actor> supervisors;
  for (const auto& [uid, e] : jobs_)
    if (e.supervisor)
      supervisors.push_back(e.supervisor);
  return collect_report_tree(self_, short_report(), supervisors);
}

directory_actor::behavior_type
directory(self_pointer<directory_actor, directory_state> self,
          context_ptr context, std::vector<watch_target> child_targets,
          bool is_leader) {
  self->state.init(std::move(context), std::move(child_targets), is_leader);
  self->set_exit_handler(
      [self](const caf::exit_msg& m) { self->state.on_exit(m); });
  return {
      [self](get_report) { return self->state.report(); },
      [self](get_tree) { return self->state.reply_with_report_tree(); },
      [self](const job_seen& fact) { self->state.on_job_seen(fact); },
      [self](const job_deleted& fact) { self->state.on_job_deleted(fact); },
      [self](const child_seen& fact) { self->state.on_child_seen(fact); },
      [self](const child_deleted& fact) { self->state.on_child_deleted(fact); },
      [self](const list_complete& fact) { self->state.on_list_complete(fact); },
      [self](const peer_directories& p) { self->state.on_peer_directories(p); },
      [self](const child_moved& m) { self->state.on_child_moved(m); },
      [self](atom::lead) { self->state.on_leadership_acquired(); },
      [self](atom::other_operator) { self->state.on_other_operator_changed(); },
      [self](atom::report_authority) {
        self->state.on_report_authority_changed();
      },
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
      [self](const request_to_job& q) { return self->state.on_job_request(q); },
      [self](const report_to_job& r) {
        return self->state.on_progress_report(r);
      },
      [self](const request_to_jobs& q) {
        return self->state.on_jobs_request(q);
      },
      [self](const get_job_report& w) {
        return self->state.forward_job_report_request(w);
      },
  };
}

} // namespace troupe::actors
