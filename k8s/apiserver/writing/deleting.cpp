#include "k8s/apiserver/writing/deleting.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/reading/list_options.hpp"
#include "k8s/apiserver/resources/pod_strategy.hpp"
#include "k8s/apiserver/resources/version_conversion.hpp"
#include "k8s/general/seconds.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

/// How long a pod may take to go: the time it asks for, if it runs somewhere.
std::int64_t pod_grace_seconds(const json& pod,
                               std::optional<std::int64_t> requested) {
  if (text_at(pod, {"spec", "nodeName"}).empty() || is_terminal_pod(pod))
    return 0;
  auto own = number_at(pod, {"spec", "terminationGracePeriodSeconds"}, 30);
  return std::max<std::int64_t>(requested.value_or(own), 0);
}

/// Whether anything holds the object back besides its grace.
bool is_held_by_finalizers(const served_resource& type, const json& object) {
  if (has_finalizers(object))
    return true;
  auto* f = find_value(object, {"spec", "finalizers"});
  return type.bucket == "namespaces" && f && !f->empty();
}

std::optional<status_error>
check_delete_preconditions(const served_resource& type, const stored_object& s,
                           const delete_options& d) {
  const auto& uid = text_at(s.value(), {"metadata", "uid"});
  const auto& name = text_at(s.value(), {"metadata", "name"});
  if (!d.uid.empty() && d.uid != uid)
    return conflict(type.name.group, type.name.kind, name,
                    "the UID in the precondition (" + d.uid
                        + ") does not match the UID in record (" + uid
                        + "). The object might have been deleted and then "
                          "recreated");
  auto version = std::to_string(s.resource_version());
  if (!d.resource_version.empty() && d.resource_version != version)
    return conflict(type.name.group, type.name.kind, name,
                    "the ResourceVersion in the precondition ("
                        + d.resource_version
                        + ") does not match the ResourceVersion in record ("
                        + version + "). The object might have been modified");
  return std::nullopt;
}

/// Leaves of the two finalizers that tell the garbage collector what to do with
/// the dependents the one that the options ask for. If they ask for nothing,
/// those that are there stay.
void set_garbage_collector_finalizers(json& meta, const delete_options& d) {
  json kept = json::array();
  const auto& policy = d.propagation_policy;
  bool orphan = policy == "Orphan", foreground = policy == "Foreground";
  auto old = meta.find("finalizers");
  if (old != meta.end() && old->is_array()) {
    for (const auto& f : *old) {
      if (f == orphan_finalizer)
        orphan |= policy.empty();
      else if (f == foreground_finalizer)
        foreground |= policy.empty();
      else
        kept.push_back(f);
    }
  }
  if (orphan || (d.orphans_by_default && !foreground))
    kept.push_back(orphan_finalizer);
  if (foreground)
    kept.push_back(foreground_finalizer);
  if (kept.empty())
    meta.erase("finalizers");
  else
    meta["finalizers"] = std::move(kept);
}

void mark_terminating(const server_state& state, const served_resource& type,
                      json& object, std::int64_t grace) {
  auto& meta = object["metadata"];
  meta["deletionTimestamp"] =
      to_rfc3339(state.now() + to_bounded_seconds(grace));
  if (type.bucket == "namespaces")
    ensure_object(object, "status")["phase"] = "Terminating";
  else
    meta["deletionGracePeriodSeconds"] = grace;
  if (meta.contains("generation"))
    meta["generation"] = number_at(meta, {"generation"}) + 1;
}

/// What a deletion does with an object at first.
enum class deletion_step : std::uint8_t {
  nothing, ///< It is terminating already.
  store,
  store_and_remove, ///< Watches see both.
  remove
};

/// Decides, and changes `object` accordingly.
deletion_step mark_and_choose_deletion_step(const server_state& state,
                                            const served_resource& type,
                                            json& object,
                                            const delete_options& d) {
  auto& meta = object["metadata"];
  auto grace = type.bucket == "pods" ? pod_grace_seconds(object, d.grace_period)
                                     : std::int64_t{0};
  bool is_graceful = type.bucket == "pods";
  if (is_terminating(object)) {
    // A second deletion may only shorten the grace.
    auto old = number_at(meta, {"deletionGracePeriodSeconds"});
    if (!d.grace_period || *d.grace_period >= old)
      return deletion_step::nothing;
    grace = *d.grace_period;
    if (auto at = from_rfc3339(text_at(meta, {"deletionTimestamp"})))
      meta["deletionTimestamp"] = to_rfc3339(
          *at - (to_bounded_seconds(old) - to_bounded_seconds(grace)));
    meta["deletionGracePeriodSeconds"] = grace;
    set_garbage_collector_finalizers(meta, d);
  } else {
    set_garbage_collector_finalizers(meta, d);
    if (!is_graceful && !is_held_by_finalizers(type, object))
      return deletion_step::remove;
    mark_terminating(state, type, object, grace);
  }
  return grace > 0 || is_held_by_finalizers(type, object)
             ? deletion_step::store
             : deletion_step::store_and_remove;
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
  auto last = state.objects.remove(type.bucket, key);
  return std::make_shared<const stored_object>(
      std::move(object), last ? last->resource_version() : 0);
}

status_or<write_result> delete_stored_object(server_state& state,
                                             const served_resource& type,
                                             const stored_object_ptr& s,
                                             const std::string& key,
                                             const delete_options& d) {
  if (auto error = check_delete_preconditions(type, *s, d))
    return *error;
  const auto& name = text_at(s->value(), {"metadata", "name"});
  if (type.bucket == "namespaces"
      && (name == "default" || name == "kube-system" || name == "kube-public"))
    return forbidden("", "namespaces", name,
                     "this namespace may not be deleted");
  write_result out;
  out.object = s;
  json next = s->value();
  auto step = mark_and_choose_deletion_step(state, type, next, d);
  if (step == deletion_step::nothing)
    return out;
  if (step == deletion_step::remove && !type.return_deleted_object) {
    out.object = nullptr;
    out.body = deleted_status(type.name.group, type.name.plural, name,
                              text_at(s->value(), {"metadata", "uid"}));
  }
  if (d.dry_run) {
    if (out.object)
      out.object = std::make_shared<const stored_object>(std::move(next),
                                                         s->resource_version());
    return out;
  }
  if (step != deletion_step::remove)
    out.object = state.objects.put(type.bucket, key, std::move(next));
  if (step != deletion_step::store)
    state.objects.remove(type.bucket, key);
  return out;
}

namespace {

/// Reads the options of a client's deletion. Warns of a default that few
/// expect.
status_or<delete_options>
parse_options_with_default_policy(const request_info& info, const json& body,
                                  std::vector<std::string>& warnings) {
  auto d = parse_delete_options(info, body);
  if (!d || !info.type->orphans_dependents_by_default
      || !d->propagation_policy.empty())
    return d;
  d->orphans_by_default = true;
  warnings.emplace_back(
      "child pods are preserved by default when jobs are deleted; set "
      "propagationPolicy=Background to remove them or set "
      "propagationPolicy=Orphan to suppress this warning");
  return d;
}

status_or<write_result> delete_collection(server_state& state,
                                          const request_info& info,
                                          const json& options) {
  if ((info.type->namespaced && info.ns.empty())
      || !info.type->has_collection_deletion)
    return info.method_not_allowed_error();
  write_result out;
  auto parsed = parse_options_with_default_policy(info, options, out.warnings);
  if (!parsed)
    return parsed.error();
  if (auto error = check_list_parameters(info))
    return *error;
  auto wanted = parse_selectors_and_path_name(info);
  if (!wanted)
    return wanted.error();
  const auto& chosen = *wanted;
  std::vector<std::pair<std::string, stored_object_ptr>> doomed;
  served_version_reader reader{*info.type, [&](const auto& key, const auto& s) {
                                 if (chosen.matches(*s))
                                   doomed.emplace_back(key, s);
                                 return true;
                               }};
  state.objects.for_each(info.type->bucket, info.ns, {}, std::ref(reader));
  if (reader.error())
    return *reader.error();
  json items = json::array();
  for (const auto& [key, s] : doomed) {
    items.push_back(s->value());
    // Another deletion's watcher may have been faster.
    if (auto now = state.objects.find(info.type->bucket, key))
      static_cast<void>(
          delete_stored_object(state, *info.type, now, key, *parsed));
  }
  out.body = {
      {"kind", info.type->list_kind},
      {"apiVersion", info.type->name.api_version()},
      {"metadata",
       {{"resourceVersion", std::to_string(state.objects.resource_version())}}},
      {"items", std::move(items)}};
  return out;
}

} // namespace

status_or<write_result> delete_object_or_collection(server_state& state,
                                                    const request_info& info,
                                                    const json& options) {
  if (info.name.empty())
    return delete_collection(state, info, options);
  if (!info.subresource.empty())
    return info.method_not_allowed_error();
  auto s = state.objects.find(info.type->bucket, info.storage_key());
  if (!s)
    return info.not_found_error();
  std::vector<std::string> warnings;
  auto parsed = parse_options_with_default_policy(info, options, warnings);
  if (!parsed)
    return parsed.error();
  auto done =
      delete_stored_object(state, *info.type, s, info.storage_key(), *parsed);
  if (done)
    done->warnings = std::move(warnings);
  return done;
}

} // namespace troupe::k8s::apiserver
