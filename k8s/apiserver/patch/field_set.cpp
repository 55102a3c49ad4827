#include "k8s/apiserver/patch/field_set.hpp"

#include "k8s/text.hpp"

#include <iterator>

namespace troupe::k8s::apiserver {

namespace {

/// `.image`, `[name="a"]`, `[="x"]`: the part of a path for a child's name.
std::string format_path_element(std::string_view name) {
  if (remove_prefix(name, "f:"))
    return "." + std::string(name);
  if (remove_prefix(name, "v:"))
    return "[=" + std::string(name) + "]";
  if (!remove_prefix(name, "k:"))
    return "[" + std::string(name.substr(name.find(':') + 1)) + "]";
  std::string out;
  auto keys = parse_json_or_null(name);
  for (const auto& [key, value] : keys.items())
    out += (out.empty() ? "[" : ",") + key + "=" + to_text(value);
  return out + "]";
}

void collect_paths(const field_set& fields, const std::string& path,
                   std::vector<std::string>& out) {
  if (fields.is_member)
    out.push_back(path);
  for (const auto& [name, child] : fields.children)
    collect_paths(child, path + format_path_element(name), out);
}

} // namespace

bool operator==(const field_set& a, const field_set& b) {
  return a.is_member == b.is_member && a.children == b.children;
}

field_set parse_fields_v1(const json& fields) {
  field_set out;
  if (!fields.is_object())
    return out;
  for (const auto& [name, value] : fields.items()) {
    if (name == ".") {
      out.is_member = true;
      continue;
    }
    auto child = parse_fields_v1(value);
    if (child.empty())
      child.is_member = true;
    out.children.emplace(name, std::move(child));
  }
  return out;
}

json to_fields_v1(const field_set& fields) {
  json out = json::object();
  if (fields.is_member && !fields.children.empty())
    out["."] = json::object();
  for (const auto& [name, child] : fields.children)
    out[name] = to_fields_v1(child);
  return out;
}

void add_fields(field_set& to, const field_set& more) {
  to.is_member |= more.is_member;
  for (const auto& [name, child] : more.children)
    add_fields(to.children[name], child);
}

void subtract_fields(field_set& from, const field_set& which) {
  if (which.is_member)
    from.is_member = false;
  for (const auto& [name, child] : which.children) {
    auto mine = from.children.find(name);
    if (mine == from.children.end())
      continue;
    subtract_fields(mine->second, child);
    if (mine->second.empty())
      from.children.erase(mine);
  }
}

field_set intersect_fields(const field_set& a, const field_set& b) {
  field_set out;
  out.is_member = a.is_member && b.is_member;
  for (const auto& [name, child] : a.children)
    if (auto* other = find_child(&b, name))
      if (auto both = intersect_fields(child, *other); !both.empty())
        out.children.emplace(name, std::move(both));
  return out;
}

const field_set* find_child(const field_set* fields, std::string_view name) {
  if (!fields)
    return nullptr;
  auto child = fields->children.find(name);
  return child == fields->children.end() ? nullptr : &child->second;
}

std::vector<std::string> paths_of_members(const field_set& fields) {
  std::vector<std::string> out;
  collect_paths(fields, "", out);
  return out;
}

} // namespace troupe::k8s::apiserver
