#include "frameworks/core/observed/ownership.hpp"

#include "frameworks/core/model/names.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace troupe::core {

namespace {

std::string label_value(const k8s::object_meta& meta, const char* key) {
  auto i = meta.labels.find(key);
  return i == meta.labels.end() ? std::string{} : i->second;
}

/// Whether its labels name this kind of job.
bool labels_match_kind(const k8s::object_meta& child, const framework& kind) {
  const auto& keys = kind.names.labels;
  return label_value(child, keys.controller) == kind.names.controller
         && (*keys.group == '\0'
             || label_value(child, keys.group) == keys.group_value);
}

/// A service account may be used regardless of its owner.
bool can_have_any_owner(child_kind kind) {
  return kind == child_kind::service_account;
}

/// "kubeflow.org" of "kubeflow.org/v1".
std::string_view group_of(std::string_view api_version) {
  auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view{}
                                         : api_version.substr(0, slash);
}

/// In any version.
bool is_of_kind(const k8s::owner_reference& owner, const framework& kind) {
  return owner.kind == kind.names.type.kind
         && group_of(owner.api_version) == kind.names.type.group;
}

/// Whether a former job of the kind and name is its controller. There is one
/// job of a name at a time, so that one is gone.
bool belonged_to_former_job(const k8s::object_meta& child, const job& j) {
  const auto* owner = child.controller();
  return owner && is_of_kind(*owner, *j.kind) && owner->name == j.name
         && owner->uid != j.uid;
}

/// Who lets an object go that is being deleted.
const char* who_ends_deletion(child_kind kind) {
  return kind == child_kind::pod ? "the kubelet"
                                 : "the controllers that own its finalizers";
}

/// Whose the object is that is not ours, and whose move that is unless a person
/// has to do something.
std::string describe_owner(child_kind kind, const k8s::object_meta& existing,
                           const job& j) {
  const auto* owner = existing.controller();
  if (belonged_to_former_job(existing, j)) {
    auto what = "the former " + owner->kind + "'s " + to_string(kind);
    return existing.deleted
               ? with_whose_move(what + " is being deleted",
                                 who_ends_deletion(kind))
               : with_whose_move(what + " is still there",
                                 "the garbage collector, which deletes it");
  }
  auto whose = owner ? "it belongs to " + owner->kind + " " + owner->name
                     : "it has no owner";
  return existing.deleted ? with_whose_move(whose + " and is being deleted",
                                            who_ends_deletion(kind))
                          : whose;
}

} // namespace

std::string with_whose_move(const std::string& text, const char* who) {
  return text + whose_move_begin + who + ")";
}

std::string take_whose_move(std::string& text) {
  auto begin = text.rfind(whose_move_begin);
  if (begin == std::string::npos || text.back() != ')')
    return {};
  auto from = begin + std::string_view{whose_move_begin}.size();
  auto who = text.substr(from, text.size() - 1 - from);
  text.erase(begin);
  return who;
}

const framework* kind_of_owner(const k8s::owner_reference& owner,
                               const std::vector<framework>& kinds) {
  const framework* found = nullptr;
  for (const auto& f : kinds) {
    if (!is_of_kind(owner, f))
      continue;
    if (owner.api_version == f.names.type.api_version())
      return &f;
    if (!found)
      found = &f;
  }
  return found;
}

bool is_owned_by(const k8s::object_meta& child, const framework& kind,
                 const std::string& ns, const std::string& name,
                 const std::string& uid) {
  const auto* owner = child.controller();
  return owner && owner->uid == uid && owner->name == name && child.ns == ns
         && is_of_kind(*owner, kind);
}

bool is_owned_by(const k8s::object_meta& child, const job& j) {
  return is_owned_by(child, *j.kind, j.ns, j.name, j.uid);
}

bool labels_match_job(child_kind kind, const k8s::object_meta& child,
                      const job& j) {
  return can_have_any_owner(kind)
         || (labels_match_kind(child, *j.kind)
             && label_value(child, j.kind->names.labels.job_name)
                    == job_name_label_value(j.name));
}

ownership ownership_of(child_kind kind, const k8s::object_meta& child,
                       const job& j) {
  if (child.ns != j.ns)
    return ownership::foreign;
  if (is_owned_by(child, j))
    return ownership::owned;
  bool taken = child.controller() && !can_have_any_owner(kind);
  return taken || !labels_match_job(kind, child, j) ? ownership::foreign
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

slot slot_from_labels(const k8s::object_meta& child, const framework& kind) {
  slot at{label_value(child, kind.names.labels.replica_type), -1};
  // A job that began without today's limits may have a type without a name.
  bool may_be_empty = kind.accepted.allows_unknown_types
                      && child.labels.count(kind.names.labels.replica_type) > 0;
  if (at.type.empty() && !may_be_empty)
    return at;
  if (!kind.is_indexed(at.type))
    at.index = 0;
  else if (kind.names.random_names)
    at.index = index_from_random_name(child.name);
  else if (*kind.names.labels.replica_index == '\0')
    at.index = index_from_numbered_name(child.name);
  else
    at.index =
        parse_index_label(label_value(child, kind.names.labels.replica_index));
  return at;
}

const framework* kind_from_labels(const k8s::object_meta& child,
                                  const std::vector<framework>& kinds) {
  for (const auto& f : kinds)
    if (labels_match_kind(child, f))
      return &f;
  return nullptr;
}

std::optional<job_name> job_from_labels(const k8s::object_meta& child,
                                        const std::vector<framework>& kinds) {
  const auto* kind = kind_from_labels(child, kinds);
  if (!kind)
    return std::nullopt;
  return job_name{kind, child.ns,
                  label_value(child, kind->names.labels.job_name)};
}

std::optional<job_name> job_of_child(const k8s::object_meta& child,
                                     const std::vector<framework>& kinds) {
  const auto* owner = child.controller();
  if (!owner)
    return job_from_labels(child, kinds);
  const auto* kind = kind_of_owner(*owner, kinds);
  if (!kind)
    return std::nullopt;
  return job_name{kind, child.ns, owner->name};
}

bool could_be_child_of_any(child_kind kind, const k8s::object_meta& object,
                           const std::vector<framework>& kinds) {
  const auto* owner = object.controller();
  return is_replica_child(kind) || (owner && kind_of_owner(*owner, kinds));
}

std::string ownership_conflict(const create_child& wanted, const job& j,
                               const k8s::object_meta& existing) {
  if (!is_owned_by(existing, j))
    return describe_owner(wanted.kind, existing, j);
  // Owned by the job, but its labels were changed: it must be released first.
  if (!wanted.name.empty())
    return labels_match_job(wanted.kind, existing, j)
               ? ""
               : "its labels name another job";
  return labels_match_slot(existing, j, wanted.at)
             ? ""
             : "its labels name another replica";
}

std::string ownership_conflict(const create_auxiliary& wanted, const job& j,
                               const k8s::object_meta& existing) {
  if (is_owned_by(existing, j))
    return "";
  // An object of a former job of the same name will be garbage-collected with
  // it.
  auto kind = wanted.wanted->kind;
  return can_have_any_owner(kind) && !belonged_to_former_job(existing, j)
             ? ""
             : describe_owner(kind, existing, j);
}

bool can_adopt(const k8s::object_meta& job_now, const job& j) {
  return job_now.uid == j.uid && !job_now.deleted;
}

} // namespace troupe::core
