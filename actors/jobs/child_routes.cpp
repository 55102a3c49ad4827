#include "actors/jobs/child_routes.hpp"

#include "frameworks/core/observed/ownership.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

std::string job_name_key(const std::string& ns, const std::string& kind,
                         const std::string& name) {
  return ns + '/' + kind + '/' + name;
}

std::string job_name_key(const job_reference& job) {
  return job_name_key(job.ns, job.kind->names.type.kind, job.name);
}

/// Of a job in any version, because an owner may be named in any.
std::string unclaimed_key_of_any_version(const core::framework& kind,
                                         const std::string& ns,
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
  return child.claims.names_job_by_owner() ? is_owned_by(child.item->meta, job)
                                           : child.claims.kind == job.kind;
}

} // namespace

// -- jobs ---------------------------------------------------------------------

unclaimed_children::taken
child_routes::add_job(std::shared_ptr<const job_reference> job) {
  const core::uid_key uid{job->uid};
  by_name_[job_name_key(*job)] = uid;
  auto& entry = jobs_[uid];
  entry.ref = std::move(job);
  const auto& ref = *entry.ref;
  auto taken =
      unclaimed_.take(unclaimed_key_of_any_version(*ref.kind, ref.ns, ref.name),
                      [&](const child_fact& child) {
                        return is_or_may_be_owned_by(child, ref);
                      });
  for (const auto& fact : taken.facts)
    children_[fact.item->meta.uid].of = current_or_new_family(entry, ref.ns);
  for (const auto& child : taken.not_kept)
    children_[child].of = current_or_new_family(entry, ref.ns);
  return taken;
}

void child_routes::remove_job(const core::uid_key& uid) {
  auto i = jobs_.find(uid);
  if (i == jobs_.end())
    return;
  // Its name may be another one's by now.
  auto n = by_name_.find(job_name_key(*i->second.ref));
  if (n != by_name_.end() && n->second == uid)
    by_name_.erase(n);
  jobs_.erase(i);
}

const core::uid_key*
child_routes::find_job_of_any_version(const std::string& ns,
                                      const std::string& kind,
                                      const std::string& name) const {
  auto n = by_name_.find(job_name_key(ns, kind, name));
  return n == by_name_.end() ? nullptr : uid_of(jobs_.find(n->second));
}

const core::uid_key* child_routes::find_job(const core::framework& kind,
                                            const std::string& ns,
                                            const std::string& name) const {
  const auto* uid = find_job_of_any_version(ns, kind.names.type.kind, name);
  return uid && jobs_.at(*uid).ref->kind == &kind ? uid : nullptr;
}

std::vector<const core::uid_key*>
child_routes::find_jobs(const core::framework& kind,
                        const std::string& ns) const {
  std::vector<const core::uid_key*> result;
  for (const auto& [key, uid] : by_name_) {
    const auto& job = *jobs_.at(uid).ref;
    if (job.kind == &kind && (ns.empty() || job.ns == ns))
      result.push_back(&uid);
  }
  return result;
}

// -- children -----------------------------------------------------------------

child_routes::jobs::iterator
child_routes::find_claimed_job(const child_fact& child) {
  const auto& meta = child.item->meta;
  const auto& claims = child.claims;
  if (claims.names_job_by_owner()) {
    auto i = jobs_.find(claims.controller->uid);
    return i != jobs_.end() && is_owned_by(meta, *i->second.ref) ? i
                                                                 : jobs_.end();
  }
  const auto* uid =
      claims.kind ? find_job(*claims.kind, meta.ns, std::string{claims.job()})
                  : nullptr;
  return uid ? jobs_.find(*uid) : jobs_.end();
}

const core::uid_key*
child_routes::recorded_job_if_known(const child_entry& child) const {
  return uid_of(jobs_.find(child.of->job));
}

const core::shared_value<child_routes::family>&
child_routes::current_or_new_family(job_entry& job, const std::string& ns) {
  if (job.children->job != job.ref->uid || job.children->ns != ns)
    job.children = family{job.ref->uid, ns};
  return job.children;
}

child_routes::child_entries::iterator
child_routes::forget(child_entries::iterator child) {
  unclaimed_.forget(child->second.of->job, child->first);
  return children_.erase(child);
}

bool child_routes::is_known_as_other_kind(child_entries::const_iterator child,
                                          core::child_kind kind) const {
  return child != children_.end() && child->second.kind != kind;
}

child_routes::route child_routes::record_seen(const child_seen& fact) {
  const auto& meta = fact.item->meta;
  const auto& claims = fact.claims;
  const core::uid_key uid{meta.uid};
  auto known = children_.find(uid);
  if (is_known_as_other_kind(known, fact.kind)
      || (known == children_.end()
          && !core::could_be_child_of_any(fact.kind, claims)))
    return {};
  auto job = find_claimed_job(fact);
  core::shared_value<family> of;
  if (job != jobs_.end())
    of = current_or_new_family(job->second, meta.ns);
  else if (claims.kind)
    of = family{unclaimed_key_of_any_version(*claims.kind, meta.ns,
                                             std::string{claims.job()}),
                meta.ns};
  route result;
  if (known != children_.end() && known->second.of->job != of->job) {
    result.from = recorded_job_if_known(known->second);
    unclaimed_.forget(known->second.of->job, uid);
  }
  if (of->job.empty()) { // No job's, whatever jobs there will be.
    children_.erase(uid);
    return result;
  }
  result.is_new = known == children_.end();
  auto& child = result.is_new ? children_[uid] : known->second;
  child.of = std::move(of);
  child.list_number = fact.list_number;
  child.version = std::max(child.version, meta.resource_version);
  child.labelled = claims.labelled;
  child.kind = fact.kind;
  result.to = uid_of(job);
  if (!result.to)
    unclaimed_.add(child.of->job, claims.kind, fact);
  return result;
}

const core::uid_key* child_routes::record_deleted(const child_deleted& fact) {
  auto known = children_.find(fact.item->meta.uid);
  if (is_known_as_other_kind(known, fact.kind))
    return nullptr;
  if (known == children_.end())
    return core::could_be_child_of_any(fact.kind, fact.claims)
               ? uid_of(find_claimed_job(fact))
               : nullptr;
  const auto* labelled = fact.claims.labelled;
  const auto* before = known->second.labelled;
  if (before && labelled && labelled != before)
    return nullptr; // Its label was changed: another watch has reported it
                    // since.
  const auto* job = recorded_job_if_known(known->second);
  forget(known);
  return job ? job : uid_of(find_claimed_job(fact));
}

const core::uid_key*
child_routes::forget_child_if_moved(const child_seen& elsewhere) {
  const auto& meta = elsewhere.item->meta;
  auto known = children_.find(meta.uid);
  if (known == children_.end() || is_known_as_other_kind(known, elsewhere.kind)
      || known->second.version >= meta.resource_version)
    return nullptr;
  const auto* job = recorded_job_if_known(known->second);
  forget(known);
  return job;
}

void child_routes::forget_unlisted(const list_complete& fact) {
  for (auto i = children_.begin(); i != children_.end();) {
    const auto& c = i->second;
    bool gone = c.kind == fact.about.children
                && fact.about.lists_children_of(c.labelled, c.of->ns)
                && c.list_number < fact.list_number
                && c.version <= fact.version;
    i = gone ? forget(i) : std::next(i);
  }
}

} // namespace troupe::actors
