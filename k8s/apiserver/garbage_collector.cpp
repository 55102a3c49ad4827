#include "k8s/apiserver/garbage_collector.hpp"

#include "k8s/apiserver/deleting.hpp"
#include "k8s/apiserver/object_metadata.hpp"
#include "k8s/apiserver/object_storage.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

/// Deletes an object whose owners are all gone.
bool delete_if_all_owners_gone(server_state& state, const served_resource& type,
                               const object_key& p,
                               const stored_object_ptr& s) {
  auto owners = owner_uids(s->value);
  bool lost = !owners.empty()
              && std::none_of(owners.begin(), owners.end(), [&](const auto& u) {
                   return state.owners.exists(u);
                 });
  if (!lost || is_terminating(s->value))
    return false;
  return !error_in(delete_stored_object(state, type, s, p.second, {}));
}

/// An owner deleted in the foreground waits for its dependents to go first.
bool continue_foreground_deletion(server_state& state,
                                  const served_resource& type,
                                  const object_key& p,
                                  const stored_object_ptr& s) {
  if (!is_terminating(s->value)
      || !has_finalizer(s->value, foreground_finalizer))
    return false;
  auto left = state.owners.dependents(text_at(s->value, {"metadata", "uid"}));
  bool touched = false;
  for (const auto& d : left) {
    auto t = state.resources.find_stored_version_by_bucket(d.first);
    auto o = state.objects.find(d.first, d.second);
    if (t && o && !is_terminating(o->value))
      touched |= !error_in(delete_stored_object(state, *t, o, d.second, {}));
  }
  if (!state.owners.dependents(text_at(s->value, {"metadata", "uid"}))
           .empty()) {
    state.owners.add_candidate(p);
    return touched;
  }
  json next = s->value;
  auto& f = next["metadata"]["finalizers"];
  f.erase(std::remove(f.begin(), f.end(), foreground_finalizer), f.end());
  store_or_finish_deletion(state, type, p.second, std::move(next));
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
  for (const auto& i : inside) {
    auto t = state.resources.find_stored_version_by_bucket(i.first);
    auto o = state.objects.find(i.first, i.second);
    if (t && o && !is_terminating(o->value))
      touched += !error_in(delete_stored_object(state, *t, o, i.second, {}));
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
         && (delete_if_all_owners_gone(state, *type, p, s)
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
