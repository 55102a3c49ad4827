#include "frameworks/core/ownership.hpp"

#include "frameworks/core/names.hpp"

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
  const auto& keys = kind.labels;
  return label_value(child, keys.controller) == kind.controller
         && (*keys.group == '\0'
             || label_value(child, keys.group) == keys.group_value);
}

/// A service account may be used regardless of its owner.
bool can_have_any_owner(child_kind kind) {
  return kind == child_kind::service_account;
}

/// "kubeflow.org" of "kubeflow.org/v1": an owner may be named in any version
/// of its group.
std::string_view group_of(std::string_view api_version) {
  auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view{}
                                         : api_version.substr(0, slash);
}

const framework* framework_of_owner(const k8s::owner_reference& owner,
                                    const std::vector<framework>& kinds) {
  for (const auto& f : kinds)
    if (owner.kind == f.type.kind && owner.api_version == f.type.api_version())
      return &f;
  return nullptr;
}

std::string describe_owner(const k8s::owner_reference* owner) {
  return owner ? "it belongs to " + owner->kind + " " + owner->name
               : "it has no owner";
}

} // namespace

bool is_owned_by(const k8s::object_meta& child, const framework& kind,
                 const std::string& ns, const std::string& name,
                 const std::string& uid) {
  const auto* owner = child.controller();
  return owner && owner->uid == uid && owner->name == name && child.ns == ns
         && owner->kind == kind.type.kind
         && group_of(owner->api_version) == kind.type.group;
}

bool is_owned_by(const k8s::object_meta& child, const job& j) {
  return is_owned_by(child, *j.kind, j.ns, j.name, j.uid);
}

bool labels_match_job(child_kind kind, const k8s::object_meta& child,
                      const job& j) {
  return can_have_any_owner(kind)
         || (labels_match_kind(child, *j.kind)
             && label_value(child, j.kind->labels.job_name)
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
  slot at{label_value(child, kind.labels.replica_type), -1};
  if (at.type.empty())
    return at;
  if (!kind.is_indexed(at.type))
    at.index = 0;
  else if (kind.random_names)
    at.index = index_from_random_name(child.name);
  else if (*kind.labels.replica_index == '\0')
    at.index = index_from_numbered_name(child.name);
  else
    at.index = parse_index_label(label_value(child, kind.labels.replica_index));
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
  return job_name{kind, child.ns, label_value(child, kind->labels.job_name)};
}

std::optional<job_name> job_of_child(const k8s::object_meta& child,
                                     const std::vector<framework>& kinds) {
  const auto* owner = child.controller();
  if (!owner)
    return job_from_labels(child, kinds);
  const auto* kind = framework_of_owner(*owner, kinds);
  if (!kind)
    return std::nullopt;
  return job_name{kind, child.ns, owner->name};
}

bool could_be_child_of_any(child_kind kind, const k8s::object_meta& object,
                           const std::vector<framework>& kinds) {
  const auto* owner = object.controller();
  return is_replica_child(kind) || (owner && framework_of_owner(*owner, kinds));
}

std::string ownership_conflict(const create_child& wanted, const job& j,
                               const k8s::object_meta& existing) {
  if (!is_owned_by(existing, j))
    return describe_owner(existing.controller());
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
  const auto* owner = existing.controller();
  bool earlier =
      owner && owner->kind == j.kind->type.kind && owner->name == j.name;
  return can_have_any_owner(wanted.wanted->kind) && !earlier
             ? ""
             : describe_owner(owner);
}

bool can_adopt(const k8s::object_meta& job_now, const job& j) {
  return job_now.uid == j.uid && !job_now.deleted;
}

} // namespace troupe::core
