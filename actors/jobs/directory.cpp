#include "actors/jobs/directory.hpp"

#include "actors/base/joined_responses.hpp"
#include "actors/base/supervision.hpp"
#include "actors/jobs/job_supervisor.hpp"
#include "actors/metrics/metrics.hpp"
#include "config/logging.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "frameworks/registry.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace troupe::actors {

namespace {

std::string job_name_key(const std::string& ns, const std::string& kind,
                         const std::string& name) {
  return ns + '/' + kind + '/' + name;
}

/// Of a job in any version, because an owner may be named in any.
std::string unclaimed_key(const core::framework& kind, const std::string& ns,
                          const std::string& name) {
  return kind.names.type.group + '/'
         + job_name_key(ns, kind.names.type.kind, name);
}

bool is_owned_by(const k8s::object_meta& child, const job_reference& job) {
  return core::is_owned_by(child, *job.kind, job.ns, job.name, job.uid);
}

/// Of what waits under the job's name, other children are of a former job of
/// that name, or of one of another version.
bool is_or_may_be_owned_by(const child_fact& child, const job_reference& job) {
  return child.claims.controller ? is_owned_by(child.item->meta, job)
                                 : child.claims.kind == job.kind;
}

} // namespace

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
      unclaimed_.on_jobs_listed(&kind); // Nobody will list them.
}

void directory_state::on_leadership_acquired() {
  leading_ = true;
  start_held_jobs();
}

void directory_state::start_held_jobs() {
  if (!can_start_supervisors())
    return;
  // Each is released before the next one: together they may be large.
  for (auto held = std::exchange(held_, {}); !held.empty();)
    on_job_seen(held.extract(held.begin()).mapped());
  for (const auto* kind : listed_job_kinds_)
    unclaimed_.on_jobs_listed(kind);
}

// -- jobs ---------------------------------------------------------------------

void directory_state::on_job_seen(const job_seen& fact) {
  const auto& meta = fact.item->meta;
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

void directory_state::record_job_and_spawn_supervisor(const job_seen& fact) {
  const auto& meta = fact.item->meta;
  auto key = job_name_key(meta.ns, fact.kind->names.type.kind, meta.name);
  // A new job with the name of an old one: the old one's deletion was not seen.
  if (auto old = by_name_.find(key); old != by_name_.end())
    forget_job_and_stop_supervisor(std::string{old->second});
  by_name_[key] = meta.uid;
  auto& e = jobs_[meta.uid];
  e.ref = std::make_shared<const job_reference>(
      job_reference{fact.kind, meta.ns, meta.name, meta.uid});
  e.list_number = fact.list_number;
  e.version = meta.resource_version;
  auto waiting = unclaimed_.take(unclaimed_key(*fact.kind, meta.ns, meta.name),
                                 [&](const child_fact& child) {
                                   return is_or_may_be_owned_by(child, *e.ref);
                                 });
  spawn_supervisor(e, !waiting.not_kept.empty());
  self_->send(e.supervisor, fact);
  for (const auto& child : waiting.facts)
    forward_to_supervisor(e, child);
  for (const auto& uid : waiting.not_kept)
    children_[uid].family = family_of(e, meta.ns);
}

void directory_state::spawn_supervisor(entry& e, bool recover) {
  e.supervisor = self_->spawn<caf::linked>(job_supervisor, context_,
                                           supervisor_config{e.ref, recover});
}

void directory_state::on_job_deleted(const job_deleted& fact) {
  const auto& uid = fact.item->meta.uid;
  held_.erase(uid);
  forget_job_and_stop_supervisor(uid);
}

void directory_state::forget_job_and_stop_supervisor(const std::string& uid) {
  auto i = jobs_.find(uid);
  if (i == jobs_.end())
    return;
  auto e = std::move(i->second);
  jobs_.erase(i);
  auto key = job_name_key(e.ref->ns, e.ref->kind->names.type.kind, e.ref->name);
  if (auto n = by_name_.find(key); n != by_name_.end() && n->second == uid)
    by_name_.erase(n);
  if (!e.supervisor)
    return;
  retired_.insert(e.supervisor.address());
  self_->send<caf::message_priority::high>(e.supervisor,
                                           atom::job_removed::value);
}

// -- children -----------------------------------------------------------------

directory_state::entry*
directory_state::find_job_entry_of_child(const child_fact& child) {
  const auto& meta = child.item->meta;
  const auto& claims = child.claims;
  if (claims.controller) {
    auto i = jobs_.find(claims.controller->uid);
    return i != jobs_.end() && is_owned_by(meta, *i->second.ref) ? &i->second
                                                                 : nullptr;
  }
  return claims.kind ? find_job_entry_by_name(*claims.kind, meta.ns,
                                              std::string{claims.job()})
                     : nullptr;
}

directory_state::entry*
directory_state::find_job_entry_by_name(const core::framework& kind,
                                        const std::string& ns,
                                        const std::string& job) {
  auto n = by_name_.find(job_name_key(ns, kind.names.type.kind, job));
  if (n == by_name_.end())
    return nullptr;
  auto& e = jobs_[n->second];
  return e.ref->kind == &kind ? &e : nullptr; // Else of another API version.
}

void directory_state::on_child_seen(const child_seen& fact) {
  const auto& meta = fact.item->meta;
  const auto& claims = fact.claims;
  if (!core::could_be_child_of_any(fact.kind, claims)
      && children_.count(meta.uid) == 0)
    return;
  auto* to = find_job_entry_of_child(fact);
  auto job = to            ? to->ref->uid
             : claims.kind ? unclaimed_key(*claims.kind, meta.ns,
                                           std::string{claims.job()})
                           : "";
  detach_from_former_job(fact, job);
  if (job.empty()) { // No job's, whatever jobs there will be.
    children_.erase(meta.uid);
    return;
  }
  if (!peers_.empty() && children_.count(meta.uid) == 0)
    for (const auto& peer : peers_)
      self_->send(peer, child_moved{fact});
  auto& known = children_[meta.uid];
  known.family =
      to ? family_of(*to, meta.ns)
         : core::shared_value<child_family>{child_family{job, meta.ns}};
  known.list_number = fact.list_number;
  known.version = std::max(known.version, meta.resource_version);
  known.labelled = claims.labelled;
  known.kind = fact.kind;
  if (to)
    forward_to_supervisor(*to, fact);
  else
    unclaimed_.add(job, claims.kind, fact);
}

void directory_state::forward_to_supervisor(entry& to, const child_seen& fact) {
  const auto& meta = fact.item->meta;
  children_[meta.uid].family = family_of(to, meta.ns);
  if (to.supervisor)
    self_->send(to.supervisor, fact);
}

const core::shared_value<directory_state::child_family>&
directory_state::family_of(entry& job, const std::string& ns) {
  if (job.family->job != job.ref->uid || job.family->ns != ns)
    job.family = child_family{job.ref->uid, ns};
  return job.family;
}

void directory_state::detach_from_former_job(const child_seen& child,
                                             const std::string& new_job_key) {
  auto known = children_.find(child.item->meta.uid);
  if (known == children_.end() || known->second.family->job == new_job_key)
    return;
  if (auto i = jobs_.find(known->second.family->job);
      i != jobs_.end() && i->second.supervisor)
    self_->send(i->second.supervisor, child_deleted{child});
  unclaimed_.forget(known->second.family->job, known->first);
}

void directory_state::on_child_moved(const child_moved& m) {
  const auto& meta = m.fact.item->meta;
  auto known = children_.find(meta.uid);
  // It may have come back meanwhile.
  if (known == children_.end()
      || known->second.version >= meta.resource_version)
    return;
  detach_from_former_job(m.fact, "");
  children_.erase(known);
}

void directory_state::on_child_deleted(const child_deleted& fact) {
  const auto& uid = fact.item->meta.uid;
  auto known = children_.find(uid);
  if (known != children_.end() && known->second.labelled) {
    const auto* labelled = fact.claims.labelled;
    if (labelled && labelled != known->second.labelled)
      return; // Its label was changed: another watch has reported it since.
  }
  auto* to = find_job_entry_of_child(fact);
  if (known != children_.end()) {
    if (auto i = jobs_.find(known->second.family->job); i != jobs_.end())
      to = &i->second;
    unclaimed_.forget(known->second.family->job, known->first);
    children_.erase(known);
  }
  if (to && to->supervisor)
    self_->send(to->supervisor, fact);
}

// -- lists --------------------------------------------------------------------

void directory_state::on_list_complete(const list_complete& fact) {
  if (fact.about.job_kind) {
    remove_unlisted_jobs(fact);
    listed_job_kinds_.insert(fact.about.job_kind);
    if (can_start_supervisors()) // Else all children are unclaimed.
      unclaimed_.on_jobs_listed(fact.about.job_kind);
    return;
  }
  remove_unlisted_children(fact);
  for (auto& [uid, e] : jobs_)
    if (e.supervisor && fact.about.lists_children_of(e.ref->kind, e.ref->ns))
      self_->send(e.supervisor, fact);
  auto done = std::remove(unlisted_.begin(), unlisted_.end(), fact.about);
  if (done == unlisted_.end())
    return;
  unlisted_.erase(done, unlisted_.end());
  start_held_jobs();
}

void directory_state::remove_unlisted_jobs(const list_complete& fact) {
  auto unconfirmed = [&](const job_seen& s) {
    return s.kind == fact.about.job_kind
           && fact.about.lists_children_of(s.kind, s.item->meta.ns)
           && s.list_number < fact.list_number
           && s.item->meta.resource_version <= fact.version;
  };
  for (auto i = held_.begin(); i != held_.end();)
    i = unconfirmed(i->second) ? held_.erase(i) : std::next(i);
  std::vector<std::string> gone;
  for (const auto& [uid, e] : jobs_)
    if (e.ref->kind == fact.about.job_kind
        && fact.about.lists_children_of(e.ref->kind, e.ref->ns)
        && e.list_number < fact.list_number && e.version <= fact.version)
      gone.push_back(uid);
  for (const auto& uid : gone)
    forget_job_and_stop_supervisor(uid);
}

void directory_state::remove_unlisted_children(const list_complete& fact) {
  for (auto i = children_.begin(); i != children_.end();) {
    const auto& c = i->second;
    bool gone = c.kind == fact.about.children
                && fact.about.lists_children_of(c.labelled, c.family->ns)
                && c.list_number < fact.list_number
                && c.version <= fact.version;
    if (gone)
      unclaimed_.forget(c.family->job, i->first);
    i = gone ? children_.erase(i) : std::next(i);
  }
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
    spawn_supervisor(i->second, true);
}

// -- requests -----------------------------------------------------------------

caf::result<job_response>
directory_state::on_job_request(const request_to_job& request) {
  if (!can_start_supervisors())
    return job_response{503, "the operator has just started; ask later"};
  auto* job = find_job_entry_by_name(*request.kind, request.ns, request.name);
  if (!job)
    return job_response{404, "", "null", true};
  auto& supervisor = job->supervisor;
  if (!supervisor)
    return job_response{503, "the operator has a problem with this job; ask "
                             "later"};
  return self_->delegate(supervisor, request);
}

caf::result<job_responses>
directory_state::on_jobs_request(const request_to_jobs& request) {
  std::vector<response_source> all;
  for (const auto& [key, uid] : by_name_) {
    const auto& e = jobs_[uid];
    if (e.supervisor && e.ref->kind == request.kind
        && (request.ns.empty() || e.ref->ns == request.ns))
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
  auto n = by_name_.find(job_name_key(w.ns, w.kind, w.name));
  if (n == by_name_.end() || !jobs_[n->second].supervisor)
    return report_ptr{};
  return self_->delegate(jobs_[n->second].supervisor, get_report{});
}

report_ptr directory_state::report() const {
  return std::make_shared<const nlohmann::json>(short_report());
}

nlohmann::json directory_state::short_report() const {
  return own_report(*self_, {{"jobs", jobs_.size()},
                             {"leading", leading_},
                             {"jobsHeld", held_.size()},
                             {"waitingForLists", unlisted_.size()},
                             {"childrenKnown", children_.size()},
                             {"childrenUnclaimed", unclaimed_.size()}});
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
      [self](const timer_fired& fired) { self->state.on_timer(fired); },
      [self](const request_to_job& q) { return self->state.on_job_request(q); },
      [self](const request_to_jobs& q) {
        return self->state.on_jobs_request(q);
      },
      [self](const get_job_report& w) {
        return self->state.forward_job_report_request(w);
      },
  };
}

} // namespace troupe::actors
