#include "frameworks/core/observed/ownership.hpp"

#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/launcher_jobs.hpp"

#include <algorithm>
#include <string_view>

namespace troupe::core {

namespace {

/// A service account may be used regardless of its owner.
bool can_have_any_owner(child_kind kind) {
  return kind == child_kind::service_account;
}

/// Whether jobs of this kind have no children of this kind, although they may
/// own such objects.
bool is_none_of_kinds_children(child_kind kind, const framework& of_job) {
  return (kind == child_kind::service && has_job_service(of_job))
         || (kind == child_kind::job_service && !has_job_service(of_job));
}

/// Whether a former job of the kind and name is its controller. There is one
/// job of a name at a time, so that one is gone.
bool belonged_to_former_job(const k8s::object_meta& child, const job& j) {
  const auto* owner = child.controller();
  return owner && is_of_kind_in_any_version(*owner, *j.kind)
         && owner->name == j.name && owner->uid != j.uid;
}

/// Who lets an object go that is being deleted.
next_move who_ends_deletion(child_kind kind) {
  if (kind == child_kind::pod)
    return {mover::cluster, "the kubelet"};
  return {mover::controller, "the controllers that own its finalizers"};
}

/// Of an object that is not ours.
ownership_conflict conflict_with_owner(child_kind kind,
                                       const k8s::object_meta& existing,
                                       const job& j) {
  const auto* owner = existing.controller();
  if (belonged_to_former_job(existing, j)) {
    auto what = "the former " + owner->kind + "'s " + to_string(kind);
    if (existing.deleted)
      return {what + " is being deleted", who_ends_deletion(kind)};
    return {
        what + " is still there",
        next_move{mover::cluster, "the garbage collector, which deletes it"}};
  }
  auto whose = owner ? "it belongs to " + owner->kind + " " + owner->name
                     : "it has no owner";
  if (existing.deleted)
    return {whose + " and is being deleted", who_ends_deletion(kind)};
  return {whose};
}

} // namespace

bool is_owned_by(const k8s::object_meta& child, const framework& kind,
                 const std::string& ns, const std::string& name,
                 const std::string& uid) {
  const auto* owner = child.controller();
  return owner && owner->uid == uid && owner->name == name && child.ns == ns
         && is_of_kind_in_any_version(*owner, kind);
}

bool is_owned_by(const k8s::object_meta& child, const job& j) {
  return is_owned_by(child, *j.kind, j.ns, j.name, j.uid);
}

bool labels_match_or_kind_is_shared(child_kind kind, const child_claims& claims,
                                    const job& j) {
  return can_have_any_owner(kind)
         || (claims.kind == j.kind && claims.labels_name_kind
             && claims.job_label == job_name_label_value(j.name));
}

ownership ownership_of(child_kind kind, const k8s::object_meta& child,
                       const child_claims& claims, const job& j) {
  if (child.ns != j.ns || is_none_of_kinds_children(kind, *j.kind))
    return ownership::foreign;
  // A Job of another name makes no pods for this job, whatever it says.
  if (kind == child_kind::launcher_job
      && child.name != launcher_job_name(*j.kind, j.name))
    return ownership::foreign;
  if (is_owned_by(child, j))
    return ownership::owned;
  if (kind == child_kind::pod && claims.made_by_job)
    return labels_match_or_kind_is_shared(kind, claims, j)
                   && claims.controller->name
                          == launcher_job_name(*j.kind, j.name)
               ? ownership::made_by_job
               : ownership::foreign;
  bool taken = claims.controller && !can_have_any_owner(kind);
  return taken || !labels_match_or_kind_is_shared(kind, claims, j)
             ? ownership::foreign
             : ownership::orphan;
}

bool labels_match_slot(const k8s::object_meta& child, const job& j,
                       const slot& at) {
  auto wanted = selector_labels(j, at);
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& l) {
    auto i = child.labels.find(l.first);
    return i != child.labels.end() && i->second == l.second;
  });
}

bool could_be_child_of_any(child_kind kind, const child_claims& claims) {
  if (claims.kind && is_none_of_kinds_children(kind, *claims.kind))
    return false;
  return is_replica_child(kind) || (claims.controller && claims.kind);
}

bool has_job_service(const framework& kind) {
  const auto& kinds = kind.hooks.auxiliary_kinds;
  return std::find(kinds.begin(), kinds.end(), child_kind::job_service)
         != kinds.end();
}

ownership_conflict find_ownership_conflict(const create_child& wanted,
                                           const job& j,
                                           const k8s::object_meta& existing) {
  if (!is_owned_by(existing, j))
    return conflict_with_owner(wanted.kind, existing, j);
  // Owned by the job, but its labels were changed: it must be released first.
  if (!wanted.name.empty())
    return {labels_match_or_kind_is_shared(wanted.kind,
                                           claims_on_kind(existing, *j.kind), j)
                ? ""
                : "its labels name another job"};
  return {labels_match_slot(existing, j, wanted.at)
              ? ""
              : "its labels name another replica"};
}

ownership_conflict find_ownership_conflict(const create_auxiliary& wanted,
                                           const job& j,
                                           const k8s::object_meta& existing) {
  if (is_owned_by(existing, j))
    return {};
  // An object of a former job of the same name will be garbage-collected with
  // it.
  auto kind = wanted.wanted->kind;
  if (can_have_any_owner(kind) && !belonged_to_former_job(existing, j))
    return {};
  return conflict_with_owner(kind, existing, j);
}

std::string describe_conflict(const ownership_conflict& conflict) {
  return append_whose_move_if_known(conflict.what, conflict.whose_move);
}

bool can_adopt(const k8s::object_meta& job_now, const job& j) {
  return job_now.uid == j.uid && !job_now.deleted;
}

} // namespace troupe::core
