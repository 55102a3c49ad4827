#include "k8s/apiserver/controllers/garbage_collector.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/controllers/deletion_rings.hpp"
#include "k8s/apiserver/storage/object_database.hpp"
#include "k8s/apiserver/writing/deleting.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace troupe::k8s::apiserver {

namespace {

bool is_being_deleted_in_foreground(const json& object) {
  return is_terminating(object) && has_finalizer(object, foreground_finalizer);
}

std::string_view group_of(std::string_view api_version) {
  auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view{}
                                         : api_version.substr(0, slash);
}

/// The owner that a reference of the object at `dependent` names: group, kind
/// and name must be the owner's as well as the UID, and the namespace the
/// dependent's, unless the owner has none. nullptr: there is no such object.
stored_object_ptr find_owner(const server_state& state,
                             const object_key& dependent,
                             const json& reference) {
  auto* where = state.owners.find_location(text_at(reference, {"uid"}));
  if (!where || !can_own_by_namespace(*where, dependent))
    return nullptr;
  auto owner = state.objects.find(where->first, where->second);
  if (!owner)
    return nullptr;
  const auto& object = owner->value();
  bool named =
      text_at(reference, {"kind"}) == text_at(object, {"kind"})
      && text_at(reference, {"name"}) == text_at(object, {"metadata", "name"})
      && group_of(text_at(reference, {"apiVersion"}))
             == group_of(text_at(object, {"apiVersion"}));
  return named ? owner : nullptr;
}

/// Whether an object of the cluster names an owner of a namespaced kind, which
/// could be in any namespace: such an object is never collected.
bool is_cluster_object_of_namespaced_owner(const server_state& state,
                                           const object_key& dependent,
                                           const json& reference) {
  if (!namespace_of(dependent).empty())
    return false;
  const auto& all = state.resources.all();
  return std::any_of(all.begin(), all.end(), [&](const resource_ptr& t) {
    return t->namespaced && t->name.kind == text_at(reference, {"kind"})
           && t->name.group == group_of(text_at(reference, {"apiVersion"}));
  });
}

/// Where the owner would be, if an object was there that cannot be read, and no
/// other has its place.
std::optional<object_key> find_damaged_owner(const server_state& state,
                                             const served_resource& type,
                                             const object_key& dependent,
                                             const json& reference) {
  auto* database = state.environment.database;
  if (!database || state.owners.has_object(text_at(reference, {"uid"})))
    return std::nullopt;
  auto there =
      expected_owner_location(type, dependent, text_at(reference, {"name"}));
  bool damaged = !state.objects.find(there.first, there.second)
                 && database->is_set_aside(there.first, there.second);
  return damaged ? std::optional{std::move(there)} : std::nullopt;
}

/// Whether nobody can tell if the owner is there: no server has its kind, so it
/// may be of one that is about to be served; or it cannot be read. Such a
/// dependent is left as it is, as kube-controller-manager does it. Who was seen
/// to be deleted is gone, even if its kind went with it.
bool is_owner_unknown_noting_damaged(server_state& state,
                                     const object_key& dependent,
                                     const json& reference) {
  if (state.owners.was_deleted_leaving_dependents(text_at(reference, {"uid"})))
    return false;
  auto type = state.resources.find_by_kind(text_at(reference, {"apiVersion"}),
                                           text_at(reference, {"kind"}));
  if (!type)
    return true;
  auto damaged = find_damaged_owner(state, *type, dependent, reference);
  if (damaged)
    state.owners.add_damaged_owner(*damaged);
  return damaged.has_value();
}

/// Whether the owner no longer keeps its dependents: it is gone, or waits for
/// them to go.
bool is_owner_gone_or_waiting_for_dependents(const server_state& state,
                                             const object_key& dependent,
                                             const json& reference) {
  if (is_cluster_object_of_namespaced_owner(state, dependent, reference))
    return false;
  auto owner = find_owner(state, dependent, reference);
  return !owner || is_being_deleted_in_foreground(owner->value());
}

/// The dependents that may belong to the object at `owner`; a copy, as they
/// change.
std::vector<object_key> list_dependents(const server_state& state,
                                        const object_key& owner,
                                        const std::string& uid) {
  std::vector<object_key> result;
  for (const auto& d : state.owners.find_dependents(uid))
    if (can_own_by_namespace(owner, d))
      result.push_back(d);
  return result;
}

const json& owner_references(const json& object) {
  return array_at(object, {"metadata", "ownerReferences"});
}

/// Stores the object without the owner references for which
/// `is_lost(reference)`.
template <class Predicate>
void remove_owner_references_and_store(server_state& state,
                                       const object_key& location, json object,
                                       Predicate is_lost) {
  auto& owners = object["metadata"]["ownerReferences"];
  owners.erase(std::remove_if(owners.begin(), owners.end(), is_lost),
               owners.end());
  if (owners.empty())
    object["metadata"].erase("ownerReferences");
  state.objects.put(location.first, location.second, std::move(object));
}

/// Deletes an object none of whose owners keeps it; of one that still has an
/// owner, takes the others off.
bool delete_dependent_or_drop_lost_owners(server_state& state,
                                          const served_resource& type,
                                          const object_key& location,
                                          const stored_object_ptr& s) {
  const auto& owners = owner_references(s->value());
  if (std::any_of(owners.begin(), owners.end(), [&](const json& reference) {
        return is_owner_unknown_noting_damaged(state, location, reference);
      }))
    return false;
  auto is_lost = [&](const json& reference) {
    return is_owner_gone_or_waiting_for_dependents(state, location, reference);
  };
  auto lost = std::count_if(owners.begin(), owners.end(), is_lost);
  if (lost == 0 || is_terminating(s->value()))
    return false;
  if (static_cast<std::size_t>(lost) < owners.size()) {
    remove_owner_references_and_store(state, location, s->value(), is_lost);
    return true;
  }
  delete_options d;
  bool has_waiting_owner =
      std::any_of(owners.begin(), owners.end(), [&](const json& reference) {
        return find_owner(state, location, reference) != nullptr;
      });
  if (has_waiting_owner
      && !state.owners.find_dependents(text_at(s->value(), {"metadata", "uid"}))
              .empty())
    d.propagation_policy = "Foreground";
  return bool(delete_stored_object(state, type, s, location.second, d));
}

void remove_finalizer_and_store(server_state& state,
                                const served_resource& type,
                                const object_key& location,
                                const stored_object_ptr& s, const char* which) {
  json next = s->value();
  auto& f = next["metadata"]["finalizers"];
  f.erase(std::remove(f.begin(), f.end(), which), f.end());
  if (f.empty())
    next["metadata"].erase("finalizers");
  store_or_finish_deletion(state, type, location.second, std::move(next));
}

/// Takes the owner's name off its dependents, so that they survive it.
bool orphan_dependents_if_requested(server_state& state,
                                    const served_resource& type,
                                    const object_key& location,
                                    const stored_object_ptr& s) {
  if (!is_terminating(s->value())
      || !has_finalizer(s->value(), orphan_finalizer))
    return false;
  auto uid = text_at(s->value(), {"metadata", "uid"});
  for (const auto& d : list_dependents(state, location, uid))
    if (auto o = state.objects.find(d.first, d.second))
      remove_owner_references_and_store(
          state, d, o->value(),
          [&](const json& r) { return text_at(r, {"uid"}) == uid; });
  remove_finalizer_and_store(state, type, location, s, orphan_finalizer);
  return true;
}

/// Whether the owner's deletion waits for this dependent.
bool blocks_owner_deletion(const json& dependent,
                           const std::string& owner_uid) {
  const auto& owners = owner_references(dependent);
  return std::any_of(owners.begin(), owners.end(), [&](const json& o) {
    return text_at(o, {"uid"}) == owner_uid
           && bool_at(o, {"blockOwnerDeletion"});
  });
}

/// An owner deleted in the foreground waits for its dependents to go first.
/// Adds to `waiting` those that may wait, too.
bool continue_foreground_deletion_if_any(server_state& state,
                                         const served_resource& type,
                                         const object_key& location,
                                         const stored_object_ptr& s,
                                         waiting_owners& waiting) {
  if (!is_being_deleted_in_foreground(s->value()))
    return false;
  auto uid = text_at(s->value(), {"metadata", "uid"});
  bool touched = false;
  for (const auto& d : list_dependents(state, location, uid)) {
    auto t = state.resources.find_stored_version_by_bucket(d.first);
    auto o = state.objects.find(d.first, d.second);
    if (t && o)
      touched |= delete_dependent_or_drop_lost_owners(state, *t, d, o);
  }
  bool is_blocked = false;
  for (const auto& d : list_dependents(state, location, uid)) {
    auto o = state.objects.find(d.first, d.second);
    if (!o || !blocks_owner_deletion(o->value(), uid))
      continue;
    is_blocked = true;
    if (is_being_deleted_in_foreground(o->value()))
      waiting[location].push_back(d);
  }
  if (is_blocked) {
    state.owners.add_garbage_candidate(location);
    return touched;
  }
  remove_finalizer_and_store(state, type, location, s, foreground_finalizer);
  return true;
}

/// Owners in `ring` no longer wait for the dependent at `location`, which waits
/// for them.
void stop_blocking_owners(server_state& state, const std::set<object_key>& ring,
                          const object_key& location) {
  auto s = state.objects.find(location.first, location.second);
  if (!s)
    return;
  json next = s->value();
  for (auto& reference : next["metadata"]["ownerReferences"]) {
    auto* owner = state.owners.find_location(text_at(reference, {"uid"}));
    if (owner && ring.count(*owner) > 0)
      reference["blockOwnerDeletion"] = false;
  }
  state.objects.put(location.first, location.second, std::move(next));
}

/// A namespace goes when everything in it has gone.
bool continue_namespace_deletion_if_any(server_state& state,
                                        const served_resource& type,
                                        const object_key& location,
                                        const stored_object_ptr& s) {
  if (location.first != "namespaces" || !is_terminating(s->value()))
    return false;
  const auto& name = text_at(s->value(), {"metadata", "name"});
  std::vector<object_key> inside;
  for (const auto& t : state.resources.all())
    if (t->namespaced)
      state.objects.for_each(t->bucket, name, {},
                             [&](const auto& key, const auto&) {
                               inside.emplace_back(t->bucket, key);
                               return true;
                             });
  std::size_t touched = 0;
  delete_options in_background;
  in_background.propagation_policy = "Background";
  for (const auto& i : inside) {
    auto t = state.resources.find_stored_version_by_bucket(i.first);
    auto o = state.objects.find(i.first, i.second);
    if (t && o && !is_terminating(o->value()))
      touched +=
          bool(delete_stored_object(state, *t, o, i.second, in_background));
  }
  if (!inside.empty()) {
    state.owners.add_garbage_candidate(location);
    return touched > 0;
  }
  json next = s->value();
  next["spec"].erase("finalizers");
  store_or_finish_deletion(state, type, location.second, std::move(next));
  return true;
}

/// Whether it has touched an object.
bool take_one_collection_step(server_state& state, const object_key& location,
                              waiting_owners& waiting) {
  auto type = state.resources.find_stored_version_by_bucket(location.first);
  auto s = state.objects.find(location.first, location.second);
  return type && s
         && (delete_dependent_or_drop_lost_owners(state, *type, location, s)
             || orphan_dependents_if_requested(state, *type, location, s)
             || continue_foreground_deletion_if_any(state, *type, location, s,
                                                    waiting)
             || continue_namespace_deletion_if_any(state, *type, location, s));
}

} // namespace

std::size_t collect_garbage(server_state& state) {
  std::size_t touched = 0;
  waiting_owners waiting;
  auto look_at = [&](const object_key& location, auto&& process) {
    try {
      // There may be very many: no more than one's values are kept.
      value_cache::pin pinned{state.objects.parsed_values()};
      touched += process(location);
    } catch (const database_error&) {
      state.owners.add_garbage_candidate(location); // Another time.
    }
  };
  for (const auto& location : state.owners.take_garbage_candidates())
    look_at(location, [&](const object_key& l) {
      return take_one_collection_step(state, l, waiting);
    });
  auto ring = find_deletion_rings(waiting);
  for (const auto& location : ring)
    look_at(location, [&](const object_key& l) {
      stop_blocking_owners(state, ring, l);
      return true;
    });
  return touched;
}

} // namespace troupe::k8s::apiserver
