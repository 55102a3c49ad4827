#include "k8s/apiserver/garbage.hpp"

#include "k8s/apiserver/object_metadata.hpp"
#include "k8s/apiserver/server_state.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* foreground = "foregroundDeletion";

std::vector<std::string> owners_of(const json& object) {
  std::vector<std::string> out;
  auto* owners = look(object, {"metadata", "ownerReferences"});
  if (owners && owners->is_array())
    for (const auto& o : *owners)
      out.push_back(text_at(o, {"uid"}));
  return out;
}

bool has_finalizer(const json& object, const char* which) {
  auto* f = look(object, {"metadata", "finalizers"});
  return f && f->is_array()
         && std::find(f->begin(), f->end(), which) != f->end();
}

/// Deletes an object whose owners are all gone.
bool orphaned(server_state& state, const served_resource& type,
              const object_key& p, const stored_object_ptr& s) {
  auto owners = owners_of(s->value);
  bool lost = !owners.empty()
              && std::none_of(owners.begin(), owners.end(), [&](const auto& u) {
                   return state.owners.exists(u);
                 });
  if (!lost || is_terminating(s->value))
    return false;
  return !error_in(delete_stored_object(state, type, s, p.second, {}));
}

/// An owner deleted in the foreground waits for its dependents to go first.
bool foreground_step(server_state& state, const served_resource& type,
                     const object_key& p, const stored_object_ptr& s) {
  if (!is_terminating(s->value) || !has_finalizer(s->value, foreground))
    return false;
  auto left = state.owners.dependents(text_at(s->value, {"metadata", "uid"}));
  bool touched = false;
  for (const auto& d : left) {
    auto t = state.resources.find_by_bucket(d.first);
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
  f.erase(std::remove(f.begin(), f.end(), foreground), f.end());
  store_or_remove(state, type, p.second, std::move(next));
  return true;
}

/// A namespace goes when everything in it has gone.
bool namespace_step(server_state& state, const served_resource& type,
                    const object_key& p, const stored_object_ptr& s) {
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
    auto t = state.resources.find_by_bucket(i.first);
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
  store_or_remove(state, type, p.second, std::move(next));
  return true;
}

} // namespace

const std::set<object_key>&
owner_graph::dependents(const std::string& uid) const {
  static const std::set<object_key> none;
  auto i = dependents_.find(uid);
  return i == dependents_.end() ? none : i->second;
}

void owner_graph::observe(const change& c) {
  object_key here{c.bucket, c.key};
  const auto& object = c.after->value;
  if (c.before)
    for (const auto& uid : owners_of(c.before->value))
      if (auto i = dependents_.find(uid); i != dependents_.end()) {
        i->second.erase(here);
        if (i->second.empty())
          dependents_.erase(i);
      }
  const auto& uid = text_at(object, {"metadata", "uid"});
  if (c.type == change::kind::deleted) {
    existing_.erase(uid);
    const auto& left = dependents(uid);
    candidates_.insert(left.begin(), left.end());
    return;
  }
  existing_[uid] = here;
  for (const auto& owner : owners_of(object)) {
    dependents_[owner].insert(here);
    if (!exists(owner))
      candidates_.insert(here);
  }
  if (is_terminating(object)
      && (c.bucket == "namespaces" || has_finalizer(object, foreground)))
    candidates_.insert(here);
}

std::size_t api_server::collect_garbage() {
  std::size_t touched = 0;
  for (const auto& p : state_->owners.take_candidates()) {
    auto type = state_->resources.find_by_bucket(p.first);
    auto s = state_->objects.find(p.first, p.second);
    if (type && s)
      touched += orphaned(*state_, *type, p, s)
                 || foreground_step(*state_, *type, p, s)
                 || namespace_step(*state_, *type, p, s);
  }
  return touched;
}

} // namespace troupe::k8s::apiserver
