#include "frameworks/core/observed/child_claims.hpp"

#include "frameworks/core/model/names.hpp"

namespace troupe::core {

namespace {

const std::string& label_value_or_empty(const k8s::object_meta& meta,
                                        const char* key) {
  static const std::string none;
  auto i = meta.labels.find(key);
  return i == meta.labels.end() ? none : i->second;
}

bool has_required_group_label(const k8s::object_meta& child,
                              const label_keys& keys) {
  return *keys.group == '\0'
         || label_value_or_empty(child, keys.group) == keys.group_value;
}

const framework* kind_from_labels(const k8s::object_meta& child,
                                  const std::vector<framework>& kinds) {
  const char* key = nullptr; // Most kinds have the same.
  const std::string* controller = nullptr;
  for (const auto& f : kinds) {
    if (f.names.labels.controller != key) {
      key = f.names.labels.controller;
      controller = &label_value_or_empty(child, key);
    }
    if (*controller == f.names.controller
        && has_required_group_label(child, f.names.labels))
      return &f;
  }
  return nullptr;
}

/// The index of the slot of this type, or -1.
std::int32_t slot_index_or_minus_one(const k8s::object_meta& child,
                                     const framework& kind,
                                     const std::string& type) {
  const auto& keys = kind.names.labels;
  // A job that began without today's limits may have a type without a name.
  bool may_be_empty = kind.accepted.allows_unknown_types
                      && child.labels.count(keys.replica_type) > 0;
  if (type.empty() && !may_be_empty)
    return -1;
  if (!kind.is_indexed_or_unknown_type(type))
    return 0;
  if (kind.names.random_names)
    return index_from_random_name(child.name);
  return *keys.replica_index == '\0' ? index_from_numbered_name(child.name)
                                     : parse_index_label(label_value_or_empty(
                                         child, keys.replica_index));
}

/// "kubeflow.org" of "kubeflow.org/v1".
std::string_view group_of(std::string_view api_version) {
  auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view{}
                                         : api_version.substr(0, slash);
}

/// Whether a batch/v1 Job of such a job makes the pods that have these labels,
/// and a batch/v1 Job has made this one.
bool is_made_by_job_of_kind(const k8s::object_meta& child,
                            const framework& kind) {
  const std::string_view type = kind.names.type_made_by_job;
  if (type.empty())
    return false;
  const auto* owner = child.controller();
  const auto& maker = resource_of(child_kind::launcher_job);
  return owner && owner->kind == maker.kind
         && owner->api_version == maker.api_version()
         && label_value_or_empty(child, kind.names.labels.replica_type) == type;
}

} // namespace

bool is_of_kind_in_any_version(const k8s::owner_reference& owner,
                               const framework& kind) {
  return owner.kind == kind.names.type.kind
         && group_of(owner.api_version) == kind.names.type.group;
}

const framework* kind_of_owner(const k8s::owner_reference& owner,
                               const std::vector<framework>& kinds) {
  const framework* found = nullptr;
  for (const auto& f : kinds) {
    if (!is_of_kind_in_any_version(owner, f))
      continue;
    if (owner.api_version == f.names.type.api_version())
      return &f;
    if (!found)
      found = &f;
  }
  return found;
}

child_claims claims_on_kind(const k8s::object_meta& child,
                            const framework& kind) {
  const auto& keys = kind.names.labels;
  const auto& type = label_value_or_empty(child, keys.replica_type);
  child_claims claims;
  claims.controller = child.controller();
  claims.kind = &kind;
  claims.labels_name_kind =
      label_value_or_empty(child, keys.controller) == kind.names.controller
      && has_required_group_label(child, keys);
  claims.labelled = claims.labels_name_kind ? &kind : nullptr;
  claims.made_by_job =
      claims.labels_name_kind && is_made_by_job_of_kind(child, kind);
  claims.job_label = label_value_or_empty(child, keys.job_name);
  claims.replica_type = type;
  claims.replica_index = slot_index_or_minus_one(child, kind, type);
  return claims;
}

child_claims claims_of(const k8s::object_meta& child,
                       const std::vector<framework>& kinds) {
  const auto* controller = child.controller();
  const auto* labelled = kind_from_labels(child, kinds);
  const auto* kind = controller ? kind_of_owner(*controller, kinds) : labelled;
  if (!kind && labelled && is_made_by_job_of_kind(child, *labelled))
    kind = labelled;
  auto claims = kind ? claims_on_kind(child, *kind) : child_claims{};
  claims.controller = controller;
  claims.labelled = labelled;
  return claims;
}

} // namespace troupe::core
