#include "k8s/apiserver/patch/typed_fields.hpp"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace troupe::k8s::apiserver {

namespace {

/// Of the name of a map's member in a field_set; its key follows.
const std::string field_prefix = "f:";

const char* strip_field_prefix(const std::string& name) {
  return name.c_str() + field_prefix.size();
}

bool is_granular_map(const schema* type, const json& value) {
  return value.is_object() && !(type && type->map_is_atomic);
}

bool is_granular_list(const schema* type, const json& value) {
  return value.is_array() && type
         && (type->list_is_set || !type->list_map_keys.empty());
}

bool is_granular(const schema* type, const json& value) {
  return is_granular_map(type, value) || is_granular_list(type, value);
}

const schema* find_property(const schema* type, const std::string& key) {
  if (!type)
    return nullptr;
  auto p = type->properties.find(key);
  return p == type->properties.end() ? nullptr : &p->second;
}

/// The type of a member of a map.
const schema* schema_of_member(const schema* type, const std::string& key) {
  auto* property = find_property(type, key);
  return property || !type ? property : type->additional_properties.get();
}

/// What identifies an item of a list that is merged: its name in a field_set.
/// A key that the item does not have counts with its default, if there is one.
std::string list_item_key(const schema& list, const json& item) {
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

/// Where the items of a list are, by their names. Of several with one name the
/// first counts. Lists may be long: looked up one by one, each item of one
/// costs the length of another.
using items_by_name = std::unordered_map<std::string, std::size_t>;

items_by_name index_items(const schema& list, const json& items) {
  items_by_name out;
  out.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    out.emplace(list_item_key(list, items[i]), i);
  return out;
}

/// Calls `use(name, type, member, is_declared)` for each member of a map or
/// list that is merged.
template <class F>
void for_each_member(const schema* type, const json& value, F use) {
  if (value.is_object())
    for (const auto& [key, member] : value.items())
      use(field_prefix + key, schema_of_member(type, key), member,
          find_property(type, key) != nullptr);
  else
    for (const auto& item : value)
      use(list_item_key(*type, item), type->items.get(), item, false);
}

/// Which of the maps and lists that are merged are members of the set besides
/// their contents. Who applies owns the contents of a field that the schema
/// declares and not the field, which others may fill, too; but owns a key or an
/// item that is there only since it is applied. In a comparison all count: one
/// that appears or disappears is a change, whatever is in it.
enum class maps_and_lists { if_not_declared, all };

void collect_fields(const schema* type, const json& value,
                    maps_and_lists included, field_set& out) {
  if (!is_granular(type, value)) {
    out.is_member = true;
    return;
  }
  for_each_member(type, value,
                  [&](const std::string& name, const schema* schema_of_member,
                      const json& member, bool is_declared) {
                    field_set child;
                    collect_fields(schema_of_member, member, included, child);
                    bool is_empty_map = member.is_object() && member.empty();
                    if (is_empty_map || !is_declared
                        || included == maps_and_lists::all)
                      child.is_member = true;
                    if (!child.empty())
                      add_fields(out.children[name], child);
                  });
}

void collect_common_fields_that_differ(const schema* type, const json& old,
                                       const json& next, field_set& out) {
  if (!is_granular(type, next) || old.type() != next.type()) {
    out.is_member = old != next;
    return;
  }
  auto old_items = next.is_array() ? index_items(*type, old) : items_by_name{};
  auto find_old = [&](const std::string& name) -> const json* {
    if (next.is_object())
      return find_value(old, {strip_field_prefix(name)});
    auto i = old_items.find(name);
    return i == old_items.end() ? nullptr : &old[i->second];
  };
  for_each_member(type, next,
                  [&](const std::string& name, const schema* schema_of_member,
                      const json& member, bool) {
                    const auto* before = find_old(name);
                    field_set child;
                    if (before)
                      collect_common_fields_that_differ(schema_of_member,
                                                        *before, member, child);
                    if (!child.empty())
                      out.children[name] = std::move(child);
                  });
}

std::vector<std::string> list_item_keys(const schema& type, const json& items) {
  std::vector<std::string> out;
  for (const auto& i : items)
    out.push_back(list_item_key(type, i));
  return out;
}

/// Merges two lists whose items have names. Applied items stand in the order in
/// which they are applied; items that are only live keep their place before the
/// next common item.
class list_merger {
public:
  list_merger(const schema& type, const json& live, const json& applied)
      : type_(type)
      , live_(live)
      , applied_(applied)
      , live_names_(list_item_keys(type, live))
      , applied_names_(list_item_keys(type, applied))
      , live_items_(index_items(type, live))
      , applied_items_(index_items(type, applied)) {}

  json merge() {
    const auto next_common = find_next_common_names();
    for (std::size_t i = 0; i < applied_.size(); ++i) {
      append_live_only_items(next_common[i]);
      append_applied_item(i);
    }
    append_live_only_items(nullptr);
    return std::move(merged_);
  }

private:
  /// For each applied item the name of the first one from it on that is live,
  /// too; null if there is none.
  std::vector<const std::string*> find_next_common_names() const {
    std::vector<const std::string*> out(applied_names_.size());
    const std::string* next = nullptr;
    for (auto i = applied_names_.size(); i-- > 0;) {
      if (live_items_.count(applied_names_[i]) > 0)
        next = &applied_names_[i];
      out[i] = next;
    }
    return out;
  }

  /// Goes on in the live list up to the next common item (null: to its end).
  void append_live_only_items(const std::string* next_common) {
    for (; live_index_ < live_.size(); ++live_index_) {
      const auto& name = live_names_[live_index_];
      if (next_common && name == *next_common)
        return;
      if (applied_items_.count(name) == 0)
        append_item_once(live_[live_index_], name);
    }
  }

  void append_applied_item(std::size_t i) {
    const auto& name = applied_names_[i];
    auto live_item = live_items_.find(name);
    append_item_once(live_item == live_items_.end()
                         ? applied_[i]
                         : merge_applied(type_.items.get(),
                                         live_[live_item->second], applied_[i]),
                     name);
  }

  void append_item_once(const json& item, const std::string& name) {
    if (merged_names_.insert(name).second)
      merged_.push_back(item);
  }

  const schema& type_;
  const json& live_;
  const json& applied_;
  const std::vector<std::string> live_names_;
  const std::vector<std::string> applied_names_;
  const items_by_name live_items_;
  const items_by_name applied_items_;
  std::size_t live_index_ = 0; ///< What comes next of the live list.
  json merged_ = json::array();
  std::unordered_set<std::string> merged_names_;
};

/// Whether the member goes: it is to be removed, or empty without what is.
bool remove_fields_and_check_must_erase(const schema* type, json& member,
                                        const field_set& to_remove,
                                        const field_set* still_owned) {
  bool is_owned = still_owned && !still_owned->empty();
  if (to_remove.is_member && !is_owned)
    return true;
  static const field_set nothing;
  remove_fields(type, member, to_remove, still_owned ? *still_owned : nothing);
  return !is_owned && member.is_structured() && member.empty();
}

void remove_map_members(const schema* type, json& map,
                        const field_set& to_remove,
                        const field_set& still_owned) {
  for (const auto& [name, child] : to_remove.children) {
    const auto* key = strip_field_prefix(name);
    auto at = map.find(key);
    if (at != map.end()
        && remove_fields_and_check_must_erase(schema_of_member(type, key), *at,
                                              child,
                                              find_child(&still_owned, name)))
      map.erase(at);
  }
}

void remove_list_items(const schema& type, json& list,
                       const field_set& to_remove,
                       const field_set& still_owned) {
  if (to_remove.children.empty())
    return;
  const auto items = index_items(type, list);
  std::unordered_set<std::size_t> removed;
  for (const auto& [name, child] : to_remove.children)
    if (auto at = items.find(name); at != items.end()
                                    && remove_fields_and_check_must_erase(
                                        type.items.get(), list[at->second],
                                        child, find_child(&still_owned, name)))
      removed.insert(at->second);
  if (removed.empty())
    return;
  json left = json::array();
  for (std::size_t i = 0; i < list.size(); ++i)
    if (removed.count(i) == 0)
      left.push_back(std::move(list[i]));
  list = std::move(left);
}

} // namespace

field_set collect_applied_fields(const schema* type, const json& value) {
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
  collect_common_fields_that_differ(type, old, next, out.modified);
  return out;
}

json merge_applied(const schema* type, const json& live, const json& applied) {
  if (!is_granular(type, applied) || live.type() != applied.type())
    return applied;
  if (applied.is_array())
    return list_merger{*type, live, applied}.merge();
  json out = live;
  for (const auto& [key, value] : applied.items())
    if (auto live_value = live.find(key); live_value != live.end())
      out[key] = merge_applied(schema_of_member(type, key), *live_value, value);
    else
      out[key] = value;
  return out;
}

void remove_fields(const schema* type, json& value, const field_set& to_remove,
                   const field_set& still_owned) {
  if (is_granular_map(type, value))
    remove_map_members(type, value, to_remove, still_owned);
  else if (is_granular_list(type, value))
    remove_list_items(*type, value, to_remove, still_owned);
}

} // namespace troupe::k8s::apiserver
