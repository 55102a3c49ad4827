#include "k8s/apiserver/metadata.hpp"
#include "k8s/apiserver/patch.hpp"
#include "k8s/apiserver/server_state.hpp"
#include "k8s/apiserver/write_validation.hpp"

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* definitions =
    "customresourcedefinitions.apiextensions.k8s.io";

void begin_metadata(server_state& w, const call& c, json& body) {
  auto& meta = body["metadata"];
  for (auto key : {"deletionTimestamp", "deletionGracePeriodSeconds",
                   "resourceVersion", "generation"})
    meta.erase(key);
  meta["uid"] = w.new_uid();
  meta["creationTimestamp"] = w.stamp();
  if (c.type->custom)
    meta["generation"] = 1;
}

/// Fills in the name a generateName asks for.
void name_it(server_state& w, const call& c, json& meta) {
  const auto& prefix = text_at(meta, {"generateName"});
  if (!text_at(meta, {"name"}).empty() || prefix.empty())
    return;
  auto stem = prefix.substr(0, 58);
  std::string name;
  for (int i = 0; i < 8; ++i) {
    name = stem + w.random_suffix();
    if (!w.objects.find(c.type->bucket, key_of(c.ns, name)))
      break;
  }
  meta["name"] = name;
}

json to_stored_form(const call& c, json body) {
  return c.type->to_storage ? c.type->to_storage(body) : std::move(body);
}

stored_ptr unsaved(json object) {
  auto s = std::make_shared<stored>();
  s->text = to_text(object);
  s->value = std::move(object);
  return s;
}

status_error stale(const call& c) {
  return conflict(c.type->name.group, c.type->name.plural, c.name,
                  "the object has been modified; please apply your changes to "
                  "the latest version and try again");
}

std::optional<status_error> check_preconditions(const call& c, const json& body,
                                                const stored& old) {
  const auto& name = text_at(body, {"metadata", "name"});
  if (name != c.name)
    return bad_request("the name of the object (" + name
                       + ") does not match the name on the URL (" + c.name
                       + ")");
  const auto& uid = text_at(body, {"metadata", "uid"});
  const auto& own = text_at(old.value, {"metadata", "uid"});
  if (!uid.empty() && uid != own)
    return conflict(c.type->name.group, c.type->name.plural, c.name,
                    "Precondition failed: UID in precondition: " + uid
                        + ", UID in object meta: " + own);
  const auto& version = text_at(body, {"metadata", "resourceVersion"});
  if (!version.empty() && version != std::to_string(old.version))
    return stale(c);
  return std::nullopt;
}

/// What the server alone writes stays as it was.
void keep_system_fields(json& body, const json& old) {
  auto& meta = body["metadata"];
  const auto& was = old["metadata"];
  for (auto key : {"uid", "creationTimestamp", "deletionTimestamp",
                   "deletionGracePeriodSeconds", "generation",
                   "resourceVersion", "generateName"}) {
    if (auto i = was.find(key); i != was.end())
      meta[key] = *i;
    else
      meta.erase(key);
  }
}

void keep(json& body, const json& old, const char* key) {
  if (auto i = old.find(key); i != old.end())
    body[key] = *i;
  else
    body.erase(key);
}

/// A status update changes the status and nothing else; of a pod, labels,
/// annotations and finalizers, too.
void keep_all_but_status(const call& c, json& body, const json& old) {
  auto meta = old["metadata"];
  if (c.type->bucket == "pods")
    for (auto key : {"labels", "annotations", "finalizers"})
      keep(meta, body["metadata"], key);
  json status = body.contains("status") ? body["status"] : json(nullptr);
  body = old;
  body["metadata"] = std::move(meta);
  if (status.is_null())
    body.erase("status");
  else
    body["status"] = std::move(status);
}

void check_finalizers(const json& object, const json& old, causes& out) {
  auto* now = look(object, {"metadata", "finalizers"});
  auto* was = look(old, {"metadata", "finalizers"});
  if (!is_terminating(old) || !now || !now->is_array())
    return;
  for (const auto& f : *now)
    if (!was || std::find(was->begin(), was->end(), f) == was->end())
      out.push_back(forbidden_field("metadata.finalizers",
                                    "no new finalizers can be added if the "
                                    "object is being deleted, found "
                                    "new finalizers []string{"
                                        + to_text(f) + "}"));
}

/// Lets `body` replace `old`.
outcome<write_result> replace(server_state& w, const call& c, json body,
                              const stored_ptr& old) {
  write_result out;
  if (auto no = prepare_metadata(c, body))
    return *no;
  if (auto no = check_preconditions(c, body, *old))
    return *no;
  if (auto no = prune_and_default(c, body, out.warnings))
    return *no;
  bool status = c.sub == "status";
  body = to_stored_form(c, std::move(body));
  body["apiVersion"] = old->value["apiVersion"];
  if (status) {
    keep_all_but_status(c, body, old->value);
  } else {
    keep_system_fields(body, old->value);
    if (c.type->has_status)
      keep(body, old->value, "status");
    if (c.type->strategy.defaults)
      c.type->strategy.defaults(body);
  }
  causes wrong;
  check_object(c, body, &old->value, wrong);
  check_finalizers(body, old->value, wrong);
  if (status && c.type->strategy.check_status)
    for (auto& x : c.type->strategy.check_status(body, old->value))
      wrong.push_back(std::move(x));
  if (c.type->bucket == definitions && !status && wrong.empty())
    wrong = complete_definition(w, body, out.warnings);
  if (!wrong.empty())
    return invalid(c.type->name.group, c.type->name.kind, c.name, wrong);
  if (c.sub.empty())
    if (auto no = admit(w, c, body, &old->value))
      return *no;
  if (body == old->value) {
    out.object = old;
    return out;
  }
  if (!status && c.type->custom
      && !equal_except(
          body, old->value,
          c.type->has_status
              ? std::initializer_list<const char*>{"metadata", "status"}
              : std::initializer_list<const char*>{"metadata"}))
    body["metadata"]["generation"] =
        number_at(old->value, {"metadata", "generation"}) + 1;
  out.object = c.dry_run()
                   ? unsaved(std::move(body))
                   : store_or_remove(w, *c.type, c.key(), std::move(body));
  return out;
}

bool has_sub(const call& c) {
  return c.sub.empty() || (c.sub == "status" && c.type->has_status)
         || (c.sub == "scale" && c.type->has_scale)
         || (c.sub == "finalize" && c.type->bucket == "namespaces");
}

} // namespace

outcome<write_result> create(server_state& w, const call& c, json body) {
  write_result out;
  out.status = 201;
  if (!c.name.empty() || (c.type->namespaced && c.ns.empty()))
    return not_allowed();
  if (auto no = prepare_metadata(c, body))
    return *no;
  if (!text_at(body, {"metadata", "resourceVersion"}).empty())
    return bad_request(
        "resourceVersion should not be set on objects to be created");
  if (auto no = prune_and_default(c, body, out.warnings))
    return *no;
  name_it(w, c, body["metadata"]);
  auto name = text_at(body, {"metadata", "name"});
  auto key = key_of(c.ns, name);
  if (auto no = check_namespace(w, c, name))
    return *no;
  begin_metadata(w, c, body);
  if (c.type->has_status)
    body.erase("status");
  if (c.type->strategy.defaults)
    c.type->strategy.defaults(body);
  if (c.type->strategy.begin)
    c.type->strategy.begin(body);
  causes wrong;
  check_object(c, body, nullptr, wrong);
  if (c.type->bucket == definitions && wrong.empty())
    wrong = complete_definition(w, body, out.warnings);
  if (!wrong.empty())
    return invalid(c.type->name.group, c.type->name.kind, name, wrong);
  if (w.objects.find(c.type->bucket, key))
    return already_exists(c.type->name.group, c.type->name.plural, name);
  if (auto no = admit(w, c, body, nullptr))
    return *no;
  body = to_stored_form(c, std::move(body));
  out.object = c.dry_run()
                   ? unsaved(std::move(body))
                   : w.objects.put(c.type->bucket, key, std::move(body));
  return out;
}

outcome<write_result> update(server_state& w, const call& c, json body) {
  if (c.name.empty() || !has_sub(c))
    return not_allowed();
  auto old = w.objects.find(c.type->bucket, c.key());
  if (!old)
    return c.missing();
  if (c.type->custom && text_at(body, {"metadata", "resourceVersion"}).empty())
    return invalid(c.type->name.group, c.type->name.plural, c.name,
                   {wrong_value("metadata.resourceVersion", 0,
                                "must be specified for an update")});
  return replace(w, c, std::move(body), old);
}

outcome<write_result> patch(server_state& w, const call& c, const json& body) {
  if (c.name.empty() || !has_sub(c))
    return not_allowed();
  auto old = w.objects.find(c.type->bucket, c.key());
  if (!old)
    return c.missing();
  auto type = c.from->headers.find("content-type");
  auto next = patched(
      needs_conversion(*c.type) ? as_served(*c.type, old->value) : old->value,
      body, type == c.from->headers.end() ? "" : type->second, !c.type->custom);
  if (auto* no = error_in(next))
    return *no;
  return replace(w, c, std::move(std::get<json>(next)), old);
}

} // namespace troupe::k8s::apiserver
