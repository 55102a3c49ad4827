#include "k8s/apiserver/tables/json_path.hpp"

namespace troupe::k8s::apiserver {

namespace {

using selected = std::vector<const json*>;

selected select_member(const selected& from, const std::string& name) {
  selected out;
  for (auto* v : from)
    if (v->is_object())
      if (auto i = v->find(name); i != v->end())
        out.push_back(&*i);
  return out;
}

selected select_all_children(const selected& from) {
  selected out;
  for (auto* v : from)
    if (v->is_structured())
      for (const auto& i : *v)
        out.push_back(&i);
  return out;
}

/// [n], [-1], [a:b].
selected select_index_or_slice(const selected& from,
                               const std::string& inside) {
  selected out;
  auto colon = inside.find(':');
  for (auto* v : from) {
    if (!v->is_array())
      continue;
    auto size = static_cast<long>(v->size());
    auto bound = [&](const std::string& text, long otherwise) {
      if (text.empty())
        return otherwise;
      auto n = std::strtol(text.c_str(), nullptr, 10);
      return std::min(std::max(n < 0 ? n + size : n, 0L), size);
    };
    auto begin = bound(inside.substr(0, colon), 0);
    auto end = colon == inside.npos ? begin + 1
                                    : bound(inside.substr(colon + 1), size);
    for (auto i = begin; i < std::min(end, size); ++i)
      out.push_back(&(*v)[static_cast<std::size_t>(i)]);
  }
  return out;
}

/// [?(@.type=="Ready")], with == and != on strings, numbers and booleans.
selected select_filtered(const selected& from, const std::string& inside) {
  auto at = inside.find("@.");
  auto op = inside.find_first_of("=!", at);
  auto close = inside.rfind(')');
  if (at == inside.npos || op == inside.npos || close == inside.npos
      || close < op + 2)
    return {};
  auto path = inside.substr(at + 1, op - at - 1);
  while (!path.empty() && path.back() == ' ')
    path.pop_back();
  auto wanted = inside.substr(op + 2, close - op - 2);
  wanted.erase(0, wanted.find_first_not_of(" \"'"));
  wanted.erase(wanted.find_last_not_of(" \"'") + 1);
  selected out;
  for (auto* i : select_all_children(from)) {
    auto values = evaluate_json_path(*i, path);
    bool same = false;
    if (!values.empty())
      same = (values[0]->is_string() ? values[0]->get<std::string>()
                                     : to_text(*values[0]))
             == wanted;
    if (same == (inside[op] == '='))
      out.push_back(i);
  }
  return out;
}

/// Where the bracket that opens at `i` closes, quotes considered.
std::size_t find_closing_bracket(const std::string& path, std::size_t i) {
  char quote = 0;
  for (; i < path.size(); ++i) {
    if (quote ? path[i] == quote : path[i] == '\'' || path[i] == '"')
      quote = quote ? 0 : path[i];
    else if (!quote && path[i] == ']')
      return i;
  }
  return path.size();
}

selected apply_bracket_expression(const selected& from,
                                  const std::string& inside) {
  if (inside.empty() || inside == "*")
    return select_all_children(from);
  if (inside[0] == '?')
    return select_filtered(from, inside);
  if (inside[0] == '\'' || inside[0] == '"')
    return select_member(from, inside.substr(1, inside.size() - 2));
  return select_index_or_slice(from, inside);
}

} // namespace

selected evaluate_json_path(const json& object, const std::string& path) {
  selected here{&object};
  std::size_t i = 0;
  while (i < path.size() && !here.empty()) {
    if (path[i] == '[') {
      auto end = find_closing_bracket(path, i + 1);
      here = apply_bracket_expression(here, path.substr(i + 1, end - i - 1));
      i = end + 1;
      continue;
    }
    if (path[i] == '.' || path[i] == '$') {
      ++i;
      continue;
    }
    // A dot in a name is written "\.".
    std::string name;
    while (i < path.size() && path[i] != '.' && path[i] != '[') {
      if (path[i] == '\\' && i + 1 < path.size())
        ++i;
      name += path[i++];
    }
    here = name == "*" ? select_all_children(here) : select_member(here, name);
  }
  return here;
}

} // namespace troupe::k8s::apiserver
