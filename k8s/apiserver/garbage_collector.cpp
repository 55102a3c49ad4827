#include "k8s/apiserver/garbage_collector.hpp"

#include "k8s/apiserver/deleting.hpp"
#include "k8s/apiserver/object_metadata.hpp"
#include "k8s/apiserver/object_storage.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

bool is_deleted_in_foreground(const json& object) {
  return is_terminating(object) && has_finalizer(object, foreground_finalizer);
}

/// Whether an owner of this UID no longer keeps its dependents: it is gone, or
/// waits for them to go.
bool has_lost_owner(const server_state& state, const std::string& uid) {
  auto* where = state.owners.find(uid);
  auto owner =
      where ? state.objects.find(where->first, where->second) : nullptr;
  return !owner || is_deleted_in_foreground(owner->value);
}

/// Stores the object without the owner references for which `is_lost(uid)`.
template <class Predicate>
void remove_owner_references(server_state& state, const object_key& p,
                             json object, Predicate is_lost) {
  auto& owners = object["metadata"]["ownerReferences"];
  owners.erase(std::remove_if(
                   owners.begin(), owners.end(),
                   [&](const json& o) { return is_lost(text_at(o, {"uid"})); }),
               owners.end());
  if (owners.empty())
    object["metadata"].erase("ownerReferences");
  state.objects.put(p.first, p.second, std::move(object));
}

/// Deletes an object none of whose owners keeps it; of one that still has an
/// owner, takes the others off.
bool collect_dependent(server_state& state, const served_resource& type,
                       const object_key& p, const stored_object_ptr& s) {
  auto owners = owner_uids(s->value);
  auto is_lost = [&](const std::string& uid) {
    return has_lost_owner(state, uid);
  };
  auto lost = std::count_if(owners.begin(), owners.end(), is_lost);
  if (lost == 0 || is_terminating(s->value))
    return false;
  if (static_cast<std::size_t>(lost) < owners.size()) {
    remove_owner_references(state, p, s->value, is_lost);
    return true;
  }
  delete_options d;
  bool has_waiting_owner =
      std::any_of(owners.begin(), owners.end(),
                  [&](const auto& uid) { return state.owners.exists(uid); });
  if (has_waiting_owner
      && !state.owners.dependents(text_at(s->value, {"metadata", "uid"}))
              .empty())
    d.propagation_policy = "Foreground";
  return !error_in(delete_stored_object(state, type, s, p.second, d));
}

void remove_finalizer(server_state& state, const served_resource& type,
                      const object_key& p, const stored_object_ptr& s,
                      const char* which) {
  json next = s->value;
  auto& f = next["metadata"]["finalizers"];
  f.erase(std::remove(f.begin(), f.end(), which), f.end());
  if (f.empty())
    next["metadata"].erase("finalizers");
  store_or_finish_deletion(state, type, p.second, std::move(next));
}

/// Takes the owner's name off its dependents, so that they survive it.
bool orphan_dependents(server_state& state, const served_resource& type,
                       const object_key& p, const stored_object_ptr& s) {
  if (!is_terminating(s->value) || !has_finalizer(s->value, orphan_finalizer))
    return false;
  auto uid = text_at(s->value, {"metadata", "uid"});
  auto dependents = state.owners.dependents(uid); // Changes meanwhile.
  for (const auto& d : dependents)
    if (auto o = state.objects.find(d.first, d.second))
      remove_owner_references(state, d, o->value,
                              [&](const auto& u) { return u == uid; });
  remove_finalizer(state, type, p, s, orphan_finalizer);
  return true;
}

/// Whether the owner's deletion waits for this dependent.
bool is_blocking(const json& dependent, const std::string& owner_uid) {
  auto* owners = find_value(dependent, {"metadata", "ownerReferences"});
  return owners && owners->is_array()
         && std::any_of(owners->begin(), owners->end(), [&](const json& o) {
              auto* blocks = find_value(o, {"blockOwnerDeletion"});
              return text_at(o, {"uid"}) == owner_uid && blocks
                     && *blocks == true;
            });
}

/// An owner deleted in the foreground waits for its dependents to go first.
bool continue_foreground_deletion(server_state& state,
                                  const served_resource& type,
                                  const object_key& p,
                                  const stored_object_ptr& s) {
  if (!is_deleted_in_foreground(s->value))
    return false;
  auto uid = text_at(s->value, {"metadata", "uid"});
  auto left = state.owners.dependents(uid);
  bool touched = false;
  for (const auto& d : left) {
    auto t = state.resources.find_stored_version_by_bucket(d.first);
    auto o = state.objects.find(d.first, d.second);
    if (t && o)
      touched |= collect_dependent(state, *t, d, o);
  }
  for (const auto& d : state.owners.dependents(uid)) {
    auto o = state.objects.find(d.first, d.second);
    if (!o || !is_blocking(o->value, uid))
      continue;
    state.owners.add_candidate(p);
    return touched;
  }
  remove_finalizer(state, type, p, s, foreground_finalizer);
  return true;
}

/// A namespace goes when everything in it has gone.
bool continue_namespace_deletion(server_state& state,
                                 const served_resource& type,
                                 const object_key& p,
                                 const stored_object_ptr& s) {
  if (p.first != "namespaces" || !is_terminating(s->value))
    return false;
  const auto& name = text_at(s->value, {"metadata", "name"});
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
    if (t && o && !is_terminating(o->value))
      touched += !error_in(
          delete_stored_object(state, *t, o, i.second, in_background));
  }
  if (!inside.empty()) {
    state.owners.add_candidate(p);
    return touched > 0;
  }
  json next = s->value;
  next["spec"].erase("finalizers");
  store_or_finish_deletion(state, type, p.second, std::move(next));
  return true;
}

/// Whether it has touched an object.
bool look_at(server_state& state, const object_key& p) {
  auto type = state.resources.find_stored_version_by_bucket(p.first);
  auto s = state.objects.find(p.first, p.second);
  return type && s
         && (collect_dependent(state, *type, p, s)
             || orphan_dependents(state, *type, p, s)
             || continue_foreground_deletion(state, *type, p, s)
             || continue_namespace_deletion(state, *type, p, s));
}

} // namespace

std::size_t collect_garbage(server_state& state) {
  std::size_t touched = 0;
  for (const auto& p : state.owners.take_candidates()) {
    try {
      touched += look_at(state, p);
    } catch (const storage_error&) {
      state.owners.add_candidate(p); // Another time.
    }
  }
  return touched;
}

} // namespace troupe::k8s::apiserver
