#include "k8s/apiserver/state/owner_graph.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"

#include <string_view>

namespace troupe::k8s::apiserver {

namespace {

std::string_view name_of(const object_key& location) {
  return std::string_view{location.second}.substr(location.second.find('/')
                                                  + 1);
}

} // namespace

std::string_view namespace_of(const object_key& location) {
  return std::string_view{location.second}.substr(0, location.second.find('/'));
}

bool can_own_by_namespace(const object_key& owner,
                          const object_key& dependent) {
  auto ns = namespace_of(owner);
  return ns.empty() || ns == namespace_of(dependent);
}

object_key expected_owner_location(const served_resource& type,
                                   const object_key& dependent,
                                   const std::string& name) {
  std::string ns{type.namespaced ? namespace_of(dependent)
                                 : std::string_view{}};
  return {type.bucket, storage_key(ns, name)};
}

const std::set<object_key>&
owner_graph::find_dependents(const std::string& uid) const {
  static const std::set<object_key> none;
  auto i = dependents_.find(uid);
  return i == dependents_.end() ? none : i->second;
}

const object_key* owner_graph::find_location(const std::string& uid) const {
  auto i = existing_.find(uid);
  return i == existing_.end() ? nullptr : &i->second;
}

void owner_graph::apply_loaded(const change& c) {
  loads_ = true;
  apply_change(c);
  loads_ = false;
}

void owner_graph::finish_loading_and_add_candidates() {
  add_candidates_with_missing_owner();
}

std::set<object_key> owner_graph::list_objects_with_missing_owner() const {
  std::set<object_key> result;
  for (const auto& [owner, dependents] : dependents_) {
    const auto* where = find_location(owner);
    for (const auto& dependent : dependents)
      if (!where || !can_own_by_namespace(*where, dependent))
        result.insert(dependent);
  }
  return result;
}

void owner_graph::apply_change(const change& c) {
  object_key here{c.bucket, c.key};
  const auto& object = c.after->value();
  if (c.before)
    for (const auto& uid : owner_uids(c.before->value()))
      if (auto i = dependents_.find(uid); i != dependents_.end()) {
        i->second.erase(here);
        if (i->second.empty()) {
          deleted_.erase(uid);
          dependents_.erase(i);
        }
      }
  const auto& uid = text_at(object, {"metadata", "uid"});
  if (c.type == change::kind::deleted) {
    existing_.erase(uid);
    const auto& left = find_dependents(uid);
    candidates_.insert(left.begin(), left.end());
    if (!left.empty())
      deleted_.insert(uid);
    return;
  }
  existing_[uid] = here;
  deleted_.erase(uid);
  if (damaged_.erase(here) > 0)
    add_candidates_with_missing_owner();
  for (const auto& owner : array_at(object, {"metadata", "ownerReferences"})) {
    const auto& owner_uid = text_at(owner, {"uid"});
    dependents_[owner_uid].insert(here);
    if (loads_)
      continue;
    auto* where = find_location(owner_uid);
    if (!where || !can_own_by_namespace(*where, here)
        || name_of(*where) != text_at(owner, {"name"}))
      candidates_.insert(here);
  }
  if (is_terminating(object)
      && (c.bucket == "namespaces"
          || has_finalizer(object, foreground_finalizer)
          || has_finalizer(object, orphan_finalizer)))
    candidates_.insert(here);
}

} // namespace troupe::k8s::apiserver
