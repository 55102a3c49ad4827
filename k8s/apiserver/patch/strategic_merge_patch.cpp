#include "k8s/apiserver/patch/strategic_merge_patch.hpp"

#include <algorithm>
#include <cstring>

namespace troupe::k8s::apiserver {

namespace {

/// A list and the key that identifies its items; "" for lists of plain values
/// that are merged as sets. Names mean the same wherever they occur in the
/// built-in types, with the exceptions noted.
struct merge_rule {
  const char* list;
  const char* key;
};

constexpr merge_rule merge_rules[] = {
    {"containers", "name"},
    {"initContainers", "name"},
    {"ephemeralContainers", "name"},
    {"env", "name"},
    {"volumes", "name"},
    {"volumeMounts", "mountPath"},
    {"volumeDevices", "devicePath"},
    {"imagePullSecrets", "name"},
    {"hostAliases", "ip"},
    {"topologySpreadConstraints", "topologyKey"},
    {"resourceClaims", "name"},
    {"schedulingGates", "name"},
    {"conditions", "type"},
    {"podIPs", "ip"},
    {"hostIPs", "ip"},
    {"ownerReferences", "uid"},
    {"secrets", "name"},
    {"taints", "key"},
    {"addresses", "type"},
    {"finalizers", ""},
};

/// The merge key of a list; "": it is a set of plain values; nullptr: it is
/// replaced whole.
const char* merge_key_of(const std::string& list, const json& items) {
  // Containers know their ports by containerPort, services by port.
  if (list == "ports") {
    for (const auto& i : items)
      if (i.is_object())
        return i.contains("containerPort") ? "containerPort" : "port";
    return nullptr;
  }
  for (const auto& r : merge_rules)
    if (list == r.list)
      return r.key;
  return nullptr;
}

/// Of items with each other, in one patch: less than a second's worth.
constexpr std::size_t most_comparisons = 20'000'000;

/// What one patch has come to.
struct progress {
  std::string error; ///< The first one.
  std::size_t comparisons = 0;

  /// Before `count` comparisons: whether they may be made.
  bool count_and_allow_comparisons(std::size_t count) {
    comparisons += count;
    bool is_too_much = comparisons > most_comparisons;
    if (is_too_much && error.empty())
      error = "the patch merges lists of too many items; send one that "
              "replaces them";
    return !is_too_much;
  }
};

bool is_directive(const std::string& key) {
  return !key.empty() && key[0] == '$';
}

json merge_value(const json& target, const json& patch, progress& p);

/// The patch of something that is not there: itself, without directives.
json without_directives(const json& patch, progress& p) {
  if (patch.is_object())
    return merge_value(json::object(), patch, p);
  if (!patch.is_array())
    return patch;
  json out = json::array();
  for (const auto& i : patch)
    if (text_at(i, {"$patch"}).empty())
      out.push_back(without_directives(i, p));
  return out;
}

json::iterator find_item_by_key(json& list, const char* key, const json& value,
                                progress& p) {
  if (!p.count_and_allow_comparisons(list.size()))
    return list.end();
  return std::find_if(list.begin(), list.end(), [&](const json& i) {
    return i.is_object() && i.contains(key) && i[key] == value;
  });
}

/// Where `item` stands in `list`, by its key, or by its value if the key is "";
/// the list's size if it is not there.
std::size_t index_of_item(const json& item, const json& list, const char* key,
                          progress& p) {
  if (!p.count_and_allow_comparisons(list.size()))
    return list.size();
  std::size_t i = 0;
  for (; i < list.size(); ++i) {
    const auto& other = list[i];
    bool same = *key == '\0' ? other == item
                             : other.is_object() && item.is_object()
                                   && other.contains(key) && item.contains(key)
                                   && other[key] == item[key];
    if (same)
      break;
  }
  return i;
}

/// Items that `order` names come in that order. The others, in the order that
/// they had, go before the first named one that they preceded, or to the end.
json order_merged_items(const json& merged, const json& before,
                        const json& order, const char* key, progress& p) {
  json named = json::array(), others = json::array();
  for (const auto& o : order)
    if (auto i = index_of_item(o, merged, key, p); i < merged.size())
      named.push_back(merged[i]);
  for (const auto& m : merged)
    if (index_of_item(m, order, key, p) == order.size())
      others.push_back(m);
  json out = json::array();
  std::size_t i = 0, j = 0;
  while (i < others.size() && j < named.size()) {
    auto other = index_of_item(others[i], before, key, p);
    auto next = index_of_item(named[j], before, key, p);
    bool is_first =
        other < before.size() && next < before.size() && other < next;
    out.push_back(is_first ? others[i++] : named[j++]);
  }
  for (; i < others.size(); ++i)
    out.push_back(others[i]);
  for (; j < named.size(); ++j)
    out.push_back(named[j]);
  return out;
}

json merge_primitive_list(const json& target, const json& patch, progress& p) {
  json out = target;
  for (const auto& v : patch)
    if (p.count_and_allow_comparisons(out.size())
        && std::find(out.begin(), out.end(), v) == out.end())
      out.push_back(v);
  return order_merged_items(out, target, patch, "", p);
}

json merge_object_list(const json& target, const json& patch, const char* key,
                       progress& p) {
  for (const auto& i : patch)
    if (i.is_object() && text_at(i, {"$patch"}) == "replace"
        && !i.contains(key))
      return without_directives(patch, p);
  json out = target;
  for (const auto& i : patch) {
    if (!i.is_object() || !i.contains(key)) {
      p.error = std::string("map: ") + to_text(i)
                + " does not contain declared merge key: " + key;
      return out;
    }
    auto existing = find_item_by_key(out, key, i[key], p);
    const auto& directive = text_at(i, {"$patch"});
    if (!directive.empty() && directive != "delete" && directive != "replace"
        && directive != "merge") {
      p.error = "unknown patch type: " + directive + " in map: " + to_text(i);
      return out;
    }
    if (directive == "delete") {
      if (existing != out.end())
        out.erase(existing);
    } else if (existing == out.end()) {
      out.push_back(without_directives(i, p));
    } else {
      *existing = directive == "replace" ? without_directives(i, p)
                                         : merge_value(*existing, i, p);
    }
  }
  return order_merged_items(out, target, patch, key, p);
}

void apply_list_and_retain_directives(json& out, const json& before,
                                      const json& patch, progress& p) {
  static const json none = json::array();
  for (const auto& [key, value] : patch.items()) {
    auto slash = key.find('/');
    if (!is_directive(key) || slash == key.npos || !value.is_array())
      continue;
    auto name = key.substr(slash + 1);
    auto list = out.find(name);
    if (list == out.end() || !list->is_array())
      continue;
    if (key.compare(0, slash, "$deleteFromPrimitiveList") == 0) {
      for (const auto& v : value)
        if (p.count_and_allow_comparisons(list->size()))
          list->erase(std::remove(list->begin(), list->end(), v), list->end());
    } else if (key.compare(0, slash, "$setElementOrder") == 0) {
      auto* old = find_value(before, {name.c_str()});
      if (auto* k = merge_key_of(name, *list))
        *list = order_merged_items(*list, old && old->is_array() ? *old : none,
                                   value, k, p);
    }
  }
  auto kept = patch.find("$retainKeys");
  if (kept == patch.end() || !kept->is_array())
    return;
  for (auto i = out.begin(); i != out.end();)
    i = std::find(kept->begin(), kept->end(), i.key()) == kept->end()
            ? out.erase(i)
            : std::next(i);
}

json merge_value(const json& target, const json& patch, progress& p) {
  const auto& directive = text_at(patch, {"$patch"});
  if (directive == "delete")
    return json::object();
  json out = directive == "replace" ? json::object() : target;
  for (const auto& [key, value] : patch.items()) {
    if (is_directive(key))
      continue;
    if (value.is_null()) {
      out.erase(key);
      continue;
    }
    auto old = out.find(key);
    if (old == out.end() || old->type() != value.type()) {
      out[key] = without_directives(value, p);
    } else if (value.is_object()) {
      *old = merge_value(*old, value, p);
    } else if (auto* k =
                   value.is_array() ? merge_key_of(key, value) : nullptr) {
      *old = *k ? merge_object_list(*old, value, k, p)
                : merge_primitive_list(*old, value, p);
    } else {
      *old = value;
    }
  }
  apply_list_and_retain_directives(out, target, patch, p);
  return out;
}

} // namespace

json strategic_merge(const json& target, const json& patch,
                     std::string& error) {
  progress p;
  auto out = merge_value(target, patch, p);
  error = std::move(p.error);
  return out;
}

} // namespace troupe::k8s::apiserver
