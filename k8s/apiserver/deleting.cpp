#include "k8s/apiserver/builtins.hpp"
#include "k8s/apiserver/metadata.hpp"
#include "k8s/apiserver/server_state.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

/// How long an object may take to go: pods that run somewhere get the time they
/// ask for, everything else goes at once.
std::int64_t grace_of(const served_resource& type, const json& object,
                      std::optional<std::int64_t> asked) {
  if (type.bucket != "pods" || text_at(object, {"spec", "nodeName"}).empty()
      || is_terminal(object))
    return 0;
  auto own = number_at(object, {"spec", "terminationGracePeriodSeconds"}, 30);
  return std::max<std::int64_t>(asked.value_or(own), 0);
}

/// Takes the owner's name off its dependents, so that they survive it.
void orphan_dependents(server_state& w, const std::string& uid) {
  auto places = w.garbage.dependents(uid);
  for (const auto& p : places) {
    auto s = w.objects.find(p.first, p.second);
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
    w.objects.put(p.first, p.second, std::move(next));
  }
}

/// Whether anything holds the object back besides its grace.
bool is_held(const served_resource& type, const json& object) {
  if (has_finalizers(object))
    return true;
  auto* f = look(object, {"spec", "finalizers"});
  return type.bucket == "namespaces" && f && !f->empty();
}

std::optional<status_error> check_preconditions(const served_resource& type,
                                                const stored& s,
                                                const deletion& d) {
  const auto& uid = text_at(s.value, {"metadata", "uid"});
  const auto& name = text_at(s.value, {"metadata", "name"});
  if (!d.uid.empty() && d.uid != uid)
    return conflict(type.name.group, type.name.plural, name,
                    "Precondition failed: UID in precondition: " + d.uid
                        + ", UID in object meta: " + uid);
  auto version = std::to_string(s.version);
  if (!d.version.empty() && d.version != version)
    return conflict(type.name.group, type.name.plural, name,
                    "Precondition failed: ResourceVersion in precondition: "
                        + d.version
                        + ", ResourceVersion in object meta: " + version);
  return std::nullopt;
}

/// Sets the marks of a deletion under way; false if nothing changes.
bool mark(server_state& w, const served_resource& type, json& object,
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
  meta["deletionTimestamp"] = to_rfc3339(w.now() + std::chrono::seconds{grace});
  meta["deletionGracePeriodSeconds"] = grace;
  if (meta.contains("generation"))
    meta["generation"] = number_at(meta, {"generation"}) + 1;
  if (type.bucket == "namespaces")
    section(object, "status")["phase"] = "Terminating";
  return true;
}

deletion read_options(const call& c, const json& options) {
  deletion d;
  if (auto* g = look(options, {"gracePeriodSeconds"}); g && g->is_number())
    d.grace = g->get<std::int64_t>();
  else if (auto q = c.param("gracePeriodSeconds"); !q.empty())
    d.grace = std::strtoll(q.c_str(), nullptr, 10);
  d.policy = text_at(options, {"propagationPolicy"});
  if (d.policy.empty())
    d.policy = c.param("propagationPolicy");
  if (auto* o = look(options, {"orphanDependents"}); o && *o == true)
    d.policy = "Orphan";
  d.uid = text_at(options, {"preconditions", "uid"});
  d.version = text_at(options, {"preconditions", "resourceVersion"});
  return d;
}

bool is_dry(const call& c, const json& options) {
  auto* d = look(options, {"dryRun"});
  return c.dry_run() || (d && d->is_array() && !d->empty());
}

} // namespace

stored_ptr store_or_remove(server_state& w, const served_resource& type,
                           const std::string& key, json object) {
  bool done =
      is_terminating(object) && !is_held(type, object)
      && number_at(object, {"metadata", "deletionGracePeriodSeconds"}) == 0;
  if (!done)
    return w.objects.put(type.bucket, key, std::move(object));
  // As upstream, the change that lets it go is not itself stored.
  return w.objects.remove(type.bucket, key);
}

outcome<write_result> remove_one(server_state& w, const served_resource& type,
                                 const stored_ptr& s, const std::string& key,
                                 const deletion& d, bool dry_run) {
  if (auto no = check_preconditions(type, *s, d))
    return *no;
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
  if (d.policy == "Orphan")
    orphan_dependents(w, uid);
  if (d.policy == "Foreground" && !is_terminating(next)
      && !w.garbage.dependents(uid).empty()) {
    auto& f = next["metadata"]["finalizers"];
    if (!f.is_array())
      f = json::array();
    f.push_back("foregroundDeletion");
  }
  auto grace = grace_of(type, next, d.grace);
  if (grace > 0 || is_held(type, next)) {
    if (mark(w, type, next, grace))
      out.object = w.objects.put(type.bucket, key, std::move(next));
    return out;
  }
  out.object = w.objects.remove(type.bucket, key);
  if (!type.returns_object) {
    out.object = nullptr;
    out.plain = success(type.name.group, type.name.plural, name, uid);
  }
  return out;
}

outcome<write_result> remove(server_state& w, const call& c,
                             const json& options) {
  if (c.name.empty())
    return remove_all(w, c, options);
  if (!c.sub.empty())
    return not_allowed();
  auto s = w.objects.find(c.type->bucket, c.key());
  if (!s)
    return c.missing();
  return remove_one(w, *c.type, s, c.key(), read_options(c, options),
                    is_dry(c, options));
}

outcome<write_result> remove_all(server_state& w, const call& c,
                                 const json& options) {
  if (c.type->namespaced && c.ns.empty())
    return not_allowed();
  selector chosen;
  auto labels = parse_labels(c.param("labelSelector"));
  auto fields = parse_fields(c.param("fieldSelector"), c.type->fields,
                             c.type->name.plural);
  if (auto* no = error_in(labels))
    return *no;
  if (auto* no = error_in(fields))
    return *no;
  chosen.labels = std::get<0>(labels);
  chosen.fields = std::get<0>(fields);
  std::vector<std::pair<std::string, stored_ptr>> doomed;
  w.objects.scan(c.type->bucket, c.ns, {}, [&](const auto& key, const auto& s) {
    if (chosen.matches(s->value))
      doomed.emplace_back(key, s);
    return true;
  });
  json items = json::array();
  for (const auto& [key, s] : doomed) {
    items.push_back(s->value);
    // Another deletion's watcher may have been faster.
    if (auto now = w.objects.find(c.type->bucket, key))
      remove_one(w, *c.type, now, key, read_options(c, options),
                 is_dry(c, options));
  }
  write_result out;
  out.plain = {
      {"kind", c.type->name.kind + "List"},
      {"apiVersion", c.type->name.api_version()},
      {"metadata", {{"resourceVersion", std::to_string(w.objects.version())}}},
      {"items", std::move(items)}};
  return out;
}

} // namespace troupe::k8s::apiserver
