#include "k8s/apiserver/patch/managed_fields.hpp"

#include "k8s/apiserver/patch/typed_fields.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::k8s::apiserver {

namespace {

constexpr const char* apply_operation = "Apply";
constexpr const char* update_operation = "Update";

/// An entry of managedFields.
struct manager_entry {
  std::string manager;
  std::string operation;
  std::string api_version;
  std::string subresource;
  std::string time;
  field_set fields;
};

using manager_entries = std::vector<manager_entry>;

/// The entry in which the fields of a writer are. Those of an apply are in one
/// entry for all versions.
bool is_entry_of_writer(const manager_entry& e, const field_writer& w,
                        const char* operation) {
  return e.manager == w.manager && e.operation == operation
         && e.subresource == w.subresource
         && (operation == apply_operation || e.api_version == w.api_version);
}

manager_entries parse_manager_entries(const json& object) {
  manager_entries out;
  for (const auto& e : array_at(object, {"metadata", "managedFields"}))
    out.push_back({text_at(e, {"manager"}), text_at(e, {"operation"}),
                   text_at(e, {"apiVersion"}), text_at(e, {"subresource"}),
                   text_at(e, {"time"}),
                   parse_fields_v1(value_at(e, {"fieldsV1"}))});
  return out;
}

json manager_entry_to_json(const manager_entry& e) {
  json out{{"manager", e.manager},        {"operation", e.operation},
           {"apiVersion", e.api_version}, {"time", e.time},
           {"fieldsType", "FieldsV1"},    {"fieldsV1", to_fields_v1(e.fields)}};
  if (!e.subresource.empty())
    out["subresource"] = e.subresource;
  return out;
}

void set_nonempty_manager_entries(json& object, manager_entries entries) {
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.operation, a.time, a.manager, a.api_version,
                    a.subresource)
           < std::tie(b.operation, b.time, b.manager, b.api_version,
                      b.subresource);
  });
  json out = json::array();
  for (const auto& e : entries)
    if (!e.fields.empty())
      out.push_back(manager_entry_to_json(e));
  auto& meta = ensure_object(object, "metadata");
  if (out.empty())
    meta.erase("managedFields");
  else
    meta["managedFields"] = std::move(out);
}

/// Nobody owns what names the object, or what only the server sets.
void drop_unownable_fields(field_set& fields) {
  for (auto name : {"f:apiVersion", "f:kind"})
    fields.children.erase(name);
  auto meta = fields.children.find("f:metadata");
  if (meta == fields.children.end())
    return;
  meta->second.is_member = false;
  for (auto name :
       {"f:name", "f:namespace", "f:creationTimestamp", "f:selfLink", "f:uid",
        "f:generation", "f:managedFields", "f:resourceVersion",
        "f:deletionTimestamp", "f:deletionGracePeriodSeconds"})
    meta->second.children.erase(name);
  if (meta->second.empty())
    fields.children.erase(meta);
}

field_set collect_ownable_fields(const schema* type, const json& applied) {
  auto out = collect_applied_fields(type, applied);
  out.is_member = false;
  drop_unownable_fields(out);
  return out;
}

field_changes compare_ownable_fields(const schema* type, const json& old,
                                     const json& next) {
  auto out = compare_fields(type, old, next);
  for (auto* fields : {&out.added, &out.modified, &out.removed}) {
    fields->is_member = false;
    drop_unownable_fields(*fields);
  }
  return out;
}

struct field_conflict {
  std::string manager; ///< As it is printed.
  std::string path;
};

std::string describe_manager(const manager_entry& e) {
  auto out = "\"" + e.manager + "\"";
  if (!e.subresource.empty())
    out += " with subresource \"" + e.subresource + "\"";
  if (e.operation == update_operation)
    out += " using " + e.api_version;
  return out;
}

std::string conflict_message(const std::vector<field_conflict>& conflicts) {
  if (conflicts.size() == 1)
    return "Apply failed with 1 conflict: conflict with " + conflicts[0].manager
           + ": " + conflicts[0].path;
  auto out =
      "Apply failed with " + std::to_string(conflicts.size()) + " conflicts: ";
  const std::string* last = nullptr;
  for (const auto& c : conflicts) {
    if (!last || *last != c.manager)
      out +=
          std::string(last ? "\n" : "") + "conflicts with " + c.manager + ":";
    out += "\n- " + c.path;
    last = &c.manager;
  }
  return out;
}

status_error conflict_error(std::vector<field_conflict> conflicts) {
  std::stable_sort(
      conflicts.begin(), conflicts.end(),
      [](const auto& a, const auto& b) { return a.manager < b.manager; });
  json causes = json::array();
  for (const auto& c : conflicts)
    causes.push_back({{"reason", "FieldManagerConflict"},
                      {"message", "conflict with " + c.manager},
                      {"field", c.path}});
  return {409,
          "Conflict",
          conflict_message(conflicts),
          {{"causes", std::move(causes)}}};
}

/// The fields that `kubectl apply` without --server-side has noted in an
/// annotation. If kubectl itself applies now, it owns them already: others that
/// are listed as owners of them are no conflict.
field_set last_applied_fields_if_by_kubectl(const schema* type,
                                            const json& live,
                                            const field_writer& w) {
  const auto& text =
      text_at(live, {"metadata", "annotations",
                     "kubectl.kubernetes.io/last-applied-configuration"});
  auto last = parse_json_or_null(text);
  return w.manager == "kubectl" && last.is_object()
             ? collect_ownable_fields(type, last)
             : field_set{};
}

/// The conflicts of the changes with what others own.
std::vector<field_conflict> find_field_conflicts(const manager_entries& others,
                                                 const field_set& changed,
                                                 const field_set& allowed) {
  std::vector<field_conflict> out;
  for (const auto& e : others) {
    auto both = intersect_fields(e.fields, changed);
    subtract_fields(both, allowed);
    for (const auto& path : paths_of_members(both))
      out.push_back({describe_manager(e), path});
  }
  return out;
}

/// The entry of a writer, taken out of the list; empty if there is none.
manager_entry take_writer_entry(manager_entries& entries, const field_writer& w,
                                const char* operation) {
  auto at = std::find_if(entries.begin(), entries.end(), [&](const auto& e) {
    return is_entry_of_writer(e, w, operation);
  });
  manager_entry out{w.manager, operation, w.api_version, w.subresource, "", {}};
  if (at != entries.end()) {
    out = std::move(*at);
    entries.erase(at);
  }
  return out;
}

/// Who owns the fields of an object to which nobody has applied yet.
manager_entries parse_or_make_live_entries(const schema* type, const json& live,
                                           const field_writer& w) {
  auto out = parse_manager_entries(live);
  if (!out.empty() || live.is_null())
    return out;
  manager_entry all{"before-first-apply", update_operation,
                    w.api_version,        "",
                    w.timestamp,          {}};
  json empty{{"metadata", json::object()}};
  all.fields = compare_ownable_fields(type, empty, live).added;
  out.push_back(std::move(all));
  return out;
}

json merge_applied_and_prune(const schema* type, const json& live,
                             const json& applied, const manager_entries& others,
                             const field_set& before, const field_set& now) {
  auto out = live.is_null() ? applied : merge_applied(type, live, applied);
  auto kept = now;
  for (const auto& e : others)
    add_fields(kept, e.fields);
  remove_fields(type, out, before, kept);
  return out;
}

void update_entry_if_changed(manager_entry& e, field_set fields,
                             const field_writer& w) {
  if (e.fields == fields && e.api_version == w.api_version && !e.time.empty())
    return;
  e.fields = std::move(fields);
  e.api_version = w.api_version;
  e.time = w.timestamp;
}

/// Whether the client asks to remove all owners.
bool is_managed_fields_reset(const json& object) {
  const auto& entries = array_at(object, {"metadata", "managedFields"});
  return entries.size() == 1 && entries[0].is_object() && entries[0].empty();
}

} // namespace

status_or<json> apply_configuration(const schema* type, const json& live,
                                    const json& applied,
                                    const field_writer& w) {
  auto others = parse_or_make_live_entries(type, live, w);
  auto writer_entry = take_writer_entry(others, w, apply_operation);
  auto fields = collect_ownable_fields(type, applied);
  auto next = merge_applied_and_prune(type, live, applied, others,
                                      writer_entry.fields, fields);
  auto changes = compare_ownable_fields(
      type, live.is_null() ? json::object() : live, next);
  auto changed = changes.added;
  add_fields(changed, changes.modified);
  if (!w.force) {
    auto conflicts = find_field_conflicts(
        others, changed, last_applied_fields_if_by_kubectl(type, live, w));
    if (!conflicts.empty())
      return conflict_error(std::move(conflicts));
  }
  for (auto& e : others) {
    subtract_fields(e.fields, changed);
    subtract_fields(e.fields, changes.removed);
  }
  update_entry_if_changed(writer_entry, std::move(fields), w);
  others.push_back(std::move(writer_entry));
  set_nonempty_manager_entries(next, std::move(others));
  return next;
}

void update_managed_fields(const schema* type, const json& old, json& next,
                           const field_writer& w) {
  auto entries =
      parse_manager_entries(is_managed_fields_reset(next) ? json{} : next);
  if (entries.empty() && !is_managed_fields_reset(next))
    entries = parse_manager_entries(old);
  if (entries.empty()) {
    set_nonempty_manager_entries(next, {});
    return;
  }
  auto changes = compare_ownable_fields(type, old, next);
  auto changed = changes.added;
  add_fields(changed, changes.modified);
  auto writer_entry = take_writer_entry(entries, w, update_operation);
  for (auto& e : entries) {
    subtract_fields(e.fields, changed);
    subtract_fields(e.fields, changes.removed);
  }
  auto fields = writer_entry.fields;
  subtract_fields(fields, changes.removed);
  add_fields(fields, changed);
  update_entry_if_changed(writer_entry, std::move(fields), w);
  entries.push_back(std::move(writer_entry));
  set_nonempty_manager_entries(next, std::move(entries));
}

} // namespace troupe::k8s::apiserver
