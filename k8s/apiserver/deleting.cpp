#include "k8s/apiserver/deleting.hpp"

#include "k8s/apiserver/list_options.hpp"
#include "k8s/apiserver/object_metadata.hpp"
#include "k8s/apiserver/pod_strategy.hpp"
#include "k8s/apiserver/version_conversion.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

/// How long an object may take to go: pods that run somewhere get the time they
/// ask for, everything else goes at once.
std::int64_t effective_grace_seconds(const served_resource& type,
                                     const json& object,
                                     std::optional<std::int64_t> asked) {
  if (type.bucket != "pods" || text_at(object, {"spec", "nodeName"}).empty()
      || is_terminal_pod(object))
    return 0;
  auto own = number_at(object, {"spec", "terminationGracePeriodSeconds"}, 30);
  return std::max<std::int64_t>(asked.value_or(own), 0);
}

/// Takes the owner's name off its dependents, so that they survive it.
void orphan_dependents(server_state& state, const std::string& uid) {
  auto dependents = state.owners.dependents(uid);
  for (const auto& p : dependents) {
    auto s = state.objects.find(p.first, p.second);
    if (!s)
      continue;
    json next = s->value;
    auto& owners = next["metadata"]["ownerReferences"];
    owners.erase(std::remove_if(
                     owners.begin(), owners.end(),
                     [&](const json& o) { return text_at(o, {"uid"}) == uid; }),
                 owners.end());
    if (owners.empty())
      next["metadata"].erase("ownerReferences");
    state.objects.put(p.first, p.second, std::move(next));
  }
}

/// Whether anything holds the object back besides its grace.
bool is_held_by_finalizers(const served_resource& type, const json& object) {
  if (has_finalizers(object))
    return true;
  auto* f = find_value(object, {"spec", "finalizers"});
  return type.bucket == "namespaces" && f && !f->empty();
}

std::optional<status_error> check_preconditions(const served_resource& type,
                                                const stored_object& s,
                                                const delete_options& d) {
  const auto& uid = text_at(s.value, {"metadata", "uid"});
  const auto& name = text_at(s.value, {"metadata", "name"});
  if (!d.uid.empty() && d.uid != uid)
    return conflict(type.name.group, type.name.plural, name,
                    "Precondition failed: UID in precondition: " + d.uid
                        + ", UID in object meta: " + uid);
  auto version = std::to_string(s.resource_version);
  if (!d.resource_version.empty() && d.resource_version != version)
    return conflict(type.name.group, type.name.plural, name,
                    "Precondition failed: ResourceVersion in precondition: "
                        + d.resource_version
                        + ", ResourceVersion in object meta: " + version);
  return std::nullopt;
}

/// Sets deletionTimestamp and the like; false if nothing changes.
bool start_or_shorten_termination(server_state& state,
                                  const served_resource& type, json& object,
                                  std::int64_t grace) {
  auto& meta = object["metadata"];
  if (is_terminating(object)) {
    // A second deletion may only shorten the grace.
    auto old = number_at(meta, {"deletionGracePeriodSeconds"}, 0);
    if (grace >= old)
      return false;
    auto at = from_rfc3339(text_at(meta, {"deletionTimestamp"}));
    if (at)
      meta["deletionTimestamp"] =
          to_rfc3339(*at - std::chrono::seconds{old - grace});
    meta["deletionGracePeriodSeconds"] = grace;
    return true;
  }
  meta["deletionTimestamp"] =
      to_rfc3339(state.now() + std::chrono::seconds{grace});
  meta["deletionGracePeriodSeconds"] = grace;
  if (meta.contains("generation"))
    meta["generation"] = number_at(meta, {"generation"}) + 1;
  if (type.bucket == "namespaces")
    ensure_object(object, "status")["phase"] = "Terminating";
  return true;
}

delete_options parse_delete_options(const request_info& info,
                                    const json& options) {
  delete_options d;
  if (auto* g = find_value(options, {"gracePeriodSeconds"});
      g && g->is_number())
    d.grace_period = g->get<std::int64_t>();
  else if (auto q = info.param("gracePeriodSeconds"); !q.empty())
    d.grace_period = std::strtoll(q.c_str(), nullptr, 10);
  d.propagation_policy = text_at(options, {"propagationPolicy"});
  if (d.propagation_policy.empty())
    d.propagation_policy = info.param("propagationPolicy");
  if (auto* o = find_value(options, {"orphanDependents"}); o && *o == true)
    d.propagation_policy = "Orphan";
  d.uid = text_at(options, {"preconditions", "uid"});
  d.resource_version = text_at(options, {"preconditions", "resourceVersion"});
  return d;
}

bool is_dry_run(const request_info& info, const json& options) {
  auto* d = find_value(options, {"dryRun"});
  return info.dry_run() || (d && d->is_array() && !d->empty());
}

} // namespace

stored_object_ptr store_or_finish_deletion(server_state& state,
                                           const served_resource& type,
                                           const std::string& key,
                                           json object) {
  bool done =
      is_terminating(object) && !is_held_by_finalizers(type, object)
      && number_at(object, {"metadata", "deletionGracePeriodSeconds"}) == 0;
  if (!done)
    return state.objects.put(type.bucket, key, std::move(object));
  // As upstream, the change that lets it go is not itself stored.
  return state.objects.remove(type.bucket, key);
}

status_or<write_result>
delete_stored_object(server_state& state, const served_resource& type,
                     const stored_object_ptr& s, const std::string& key,
                     const delete_options& d, bool dry_run) {
  if (auto error = check_preconditions(type, *s, d))
    return *error;
  const auto& name = text_at(s->value, {"metadata", "name"});
  auto uid = text_at(s->value, {"metadata", "uid"});
  write_result out;
  out.object = s;
  if (type.bucket == "namespaces"
      && (name == "default" || name == "kube-system"))
    return forbidden("", "namespaces", name,
                     "this namespace may not be deleted");
  if (dry_run)
    return out;
  json next = s->value;
  if (d.propagation_policy == "Orphan")
    orphan_dependents(state, uid);
  if (d.propagation_policy == "Foreground" && !is_terminating(next)
      && !state.owners.dependents(uid).empty()) {
    auto& f = next["metadata"]["finalizers"];
    if (!f.is_array())
      f = json::array();
    f.push_back(foreground_finalizer);
  }
  auto grace = effective_grace_seconds(type, next, d.grace_period);
  if (grace > 0 || is_held_by_finalizers(type, next)) {
    if (start_or_shorten_termination(state, type, next, grace))
      out.object = state.objects.put(type.bucket, key, std::move(next));
    return out;
  }
  out.object = state.objects.remove(type.bucket, key);
  if (!type.delete_returns_object) {
    out.object = nullptr;
    out.body = success_status(type.name.group, type.name.plural, name, uid);
  }
  return out;
}

status_or<write_result> delete_or_mark_terminating(server_state& state,
                                                   const request_info& info,
                                                   const json& options) {
  if (info.name.empty())
    return delete_collection(state, info, options);
  if (!info.subresource.empty())
    return method_not_allowed();
  auto s = state.objects.find(info.type->bucket, info.storage_key());
  if (!s)
    return info.not_found_error();
  return delete_stored_object(state, *info.type, s, info.storage_key(),
                              parse_delete_options(info, options),
                              is_dry_run(info, options));
}

status_or<write_result> delete_collection(server_state& state,
                                          const request_info& info,
                                          const json& options) {
  if (info.type->namespaced && info.ns.empty())
    return method_not_allowed();
  auto selected = parse_selectors_and_path_name(info);
  if (auto* error = error_in(selected))
    return *error;
  const auto& chosen = std::get<selector>(selected);
  std::vector<std::pair<std::string, stored_object_ptr>> doomed;
  served_version_reader reader{*info.type, [&](const auto& key, const auto& s) {
                                 if (chosen.matches(s->value))
                                   doomed.emplace_back(key, s);
                                 return true;
                               }};
  state.objects.for_each(info.type->bucket, info.ns, {}, std::ref(reader));
  if (reader.error())
    return *reader.error();
  json items = json::array();
  for (const auto& [key, s] : doomed) {
    items.push_back(s->value);
    // Another deletion's watcher may have been faster.
    if (auto now = state.objects.find(info.type->bucket, key))
      delete_stored_object(state, *info.type, now, key,
                           parse_delete_options(info, options),
                           is_dry_run(info, options));
  }
  write_result out;
  out.body = {
      {"kind", info.type->name.kind + "List"},
      {"apiVersion", info.type->name.api_version()},
      {"metadata",
       {{"resourceVersion", std::to_string(state.objects.resource_version())}}},
      {"items", std::move(items)}};
  return out;
}

} // namespace troupe::k8s::apiserver
