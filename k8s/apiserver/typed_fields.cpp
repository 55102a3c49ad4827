#include "k8s/apiserver/typed_fields.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

bool is_merged_map(const schema* type, const json& value) {
  return value.is_object() && !(type && type->map_is_atomic);
}

bool is_merged_list(const schema* type, const json& value) {
  return value.is_array() && type
         && (type->list_is_set || !type->list_map_keys.empty());
}

bool is_merged(const schema* type, const json& value) {
  return is_merged_map(type, value) || is_merged_list(type, value);
}

const schema* find_property(const schema* type, const std::string& key) {
  if (!type)
    return nullptr;
  auto p = type->properties.find(key);
  return p == type->properties.end() ? nullptr : &p->second;
}

/// The type of a member of a map.
const schema* member_type(const schema* type, const std::string& key) {
  auto* property = find_property(type, key);
  return property || !type ? property : type->additional_properties.get();
}

/// What identifies an item of a list that is merged: its name in a field_set.
/// A key that the item does not have counts with its default, if there is one.
std::string item_name(const schema& list, const json& item) {
  if (list.list_map_keys.empty() || !item.is_object())
    return "v:" + to_text(item);
  json keys = json::object();
  for (const auto& key : list.list_map_keys) {
    auto* type = find_property(list.items.get(), key);
    if (auto value = item.find(key); value != item.end())
      keys[key] = *value;
    else if (type && !type->default_value.is_null())
      keys[key] = type->default_value;
  }
  return "k:" + to_text(keys);
}

json::iterator item_iterator(const schema& list, json& items,
                             const std::string& name) {
  return std::find_if(items.begin(), items.end(), [&](const json& i) {
    return item_name(list, i) == name;
  });
}

const json* find_item(const schema& list, const json& items,
                      const std::string& name) {
  auto found = std::find_if(items.begin(), items.end(), [&](const json& i) {
    return item_name(list, i) == name;
  });
  return found == items.end() ? nullptr : &*found;
}

/// Calls `use(name, type, member, is_declared)` for each member of a map or
/// list that is merged.
template <class F>
void for_each_member(const schema* type, const json& value, F use) {
  if (value.is_object())
    for (const auto& [key, member] : value.items())
      use("f:" + key, member_type(type, key), member,
          find_property(type, key) != nullptr);
  else
    for (const auto& item : value)
      use(item_name(*type, item), type->items.get(), item, false);
}

enum class maps_and_lists { if_not_declared, all };

void collect_fields(const schema* type, const json& value,
                    maps_and_lists included, field_set& out) {
  if (!is_merged(type, value)) {
    out.is_member = true;
    return;
  }
  for_each_member(type, value,
                  [&](const std::string& name, const schema* member_type,
                      const json& member, bool is_declared) {
                    field_set child;
                    collect_fields(member_type, member, included, child);
                    bool is_empty_map = member.is_object() && member.empty();
                    if (is_empty_map || !is_declared
                        || included == maps_and_lists::all)
                      child.is_member = true;
                    if (!child.empty())
                      add_fields(out.children[name], child);
                  });
}

void collect_modified(const schema* type, const json& old, const json& next,
                      field_set& out) {
  if (!is_merged(type, next) || old.type() != next.type()) {
    out.is_member = old != next;
    return;
  }
  for_each_member(type, next,
                  [&](const std::string& name, const schema* member_type,
                      const json& member, bool) {
                    const auto* before =
                        next.is_object() ? find_value(old, {name.c_str() + 2})
                                         : find_item(*type, old, name);
                    field_set child;
                    if (before)
                      collect_modified(member_type, *before, member, child);
                    if (!child.empty())
                      out.children[name] = std::move(child);
                  });
}

std::vector<std::string> item_names(const schema& type, const json& items) {
  std::vector<std::string> out;
  for (const auto& i : items)
    out.push_back(item_name(type, i));
  return out;
}

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

json merge_list(const schema& type, const json& live, const json& applied) {
  auto live_names = item_names(type, live);
  auto applied_names = item_names(type, applied);
  json out = json::array();
  std::vector<std::string> out_names;
  auto append = [&](const json& item, const std::string& name) {
    if (!is_in(out_names, name)) {
      out.push_back(item);
      out_names.push_back(name);
    }
  };
  std::size_t l = 0;
  // Passes over those that are applied, too, but for the next one of them.
  auto append_live_only_items = [&](std::size_t a) {
    while (a < applied.size() && !is_in(live_names, applied_names[a]))
      ++a;
    for (; l < live.size(); ++l)
      if (!is_in(applied_names, live_names[l]))
        append(live[l], live_names[l]);
      else if (a < applied.size() && live_names[l] == applied_names[a])
        return;
  };
  for (std::size_t a = 0; a < applied.size(); ++a) {
    append_live_only_items(a);
    auto* mine = find_item(type, live, applied_names[a]);
    append(mine ? merge_applied(type.items.get(), *mine, applied[a])
                : applied[a],
           applied_names[a]);
  }
  append_live_only_items(applied.size());
  return out;
}

void remove_child(const schema* type, json& value, const std::string& name,
                  const field_set& which, const field_set* kept) {
  bool is_map = value.is_object();
  auto key = name.substr(2);
  auto at = is_map ? value.find(key) : item_iterator(*type, value, name);
  if (at == value.end())
    return;
  bool is_kept = kept && !kept->empty();
  if (which.is_member && !is_kept) {
    value.erase(at);
    return;
  }
  static const field_set nothing;
  remove_fields(is_map ? member_type(type, key) : type->items.get(), *at, which,
                kept ? *kept : nothing);
  if (!is_kept && at->is_structured() && at->empty())
    value.erase(at);
}

} // namespace

field_set fields_of(const schema* type, const json& value) {
  field_set out;
  collect_fields(type, value, maps_and_lists::if_not_declared, out);
  return out;
}

field_changes compare_fields(const schema* type, const json& old,
                             const json& next) {
  field_changes out;
  collect_fields(type, next, maps_and_lists::all, out.added);
  collect_fields(type, old, maps_and_lists::all, out.removed);
  auto before = out.removed;
  subtract_fields(out.removed, out.added);
  subtract_fields(out.added, before);
  collect_modified(type, old, next, out.modified);
  return out;
}

json merge_applied(const schema* type, const json& live, const json& applied) {
  if (!is_merged(type, applied) || live.type() != applied.type())
    return applied;
  if (applied.is_array())
    return merge_list(*type, live, applied);
  json out = live;
  for (const auto& [key, value] : applied.items())
    if (auto mine = live.find(key); mine != live.end())
      out[key] = merge_applied(member_type(type, key), *mine, value);
    else
      out[key] = value;
  return out;
}

void remove_fields(const schema* type, json& value, const field_set& which,
                   const field_set& kept) {
  if (is_merged(type, value))
    for (const auto& [name, child] : which.children)
      remove_child(type, value, name, child, find_child(&kept, name));
}

} // namespace troupe::k8s::apiserver
