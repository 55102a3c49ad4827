#include "k8s/apiserver/storage/selectors.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"

#include <algorithm>
#include <cctype>

namespace troupe::k8s::apiserver {

namespace {

using operation = requirement::operation;

/// Walks over the text of a label selector.
struct scanner {
  const std::string& text;
  std::size_t at = 0;

  void skip_blanks() {
    while (at < text.size() && text[at] == ' ')
      ++at;
  }
  bool at_end() {
    skip_blanks();
    return at >= text.size();
  }
  bool skip_token(std::string_view token) {
    skip_blanks();
    if (text.compare(at, token.size(), token) != 0)
      return false;
    at += token.size();
    return true;
  }
  /// A keyword ends where a word ends.
  bool skip_keyword(std::string_view token) {
    auto start = at;
    if (skip_token(token)
        && (at >= text.size() || text[at] == ' ' || text[at] == '('))
      return true;
    at = start;
    return false;
  }
  std::string read_word() {
    skip_blanks();
    auto start = at;
    while (at < text.size() && !std::strchr(" ,()=!<>", text[at]))
      ++at;
    return text.substr(start, at - start);
  }
};

status_error selector_parse_error(const std::string& text,
                                  const std::string& why) {
  return bad_request("unable to parse requirement: \"" + text + "\": " + why);
}

bool read_parenthesized_values(scanner& s, std::vector<std::string>& values) {
  if (!s.skip_token("("))
    return false;
  do
    values.push_back(s.read_word());
  while (s.skip_token(","));
  return s.skip_token(")");
}

bool read_operator_and_values(scanner& s, requirement& r) {
  auto one = [&](operation op) {
    r.op = op;
    r.values = {s.read_word()};
    return true;
  };
  if (s.at_end() || s.text[s.at] == ',')
    return true; // Just a key: it must exist.
  if (s.skip_token("!="))
    return one(operation::not_in);
  if (s.skip_token("==") || s.skip_token("="))
    return one(operation::in);
  if (s.skip_token(">"))
    return one(operation::greater);
  if (s.skip_token("<"))
    return one(operation::less);
  r.op = s.skip_keyword("in") ? operation::in : operation::not_in;
  if (r.op == operation::not_in && !s.skip_keyword("notin"))
    return false;
  return read_parenthesized_values(s, r.values);
}

/// "metadata.name" -> metadata and name.
json_path split_dotted_path(const std::string& path) {
  // Of Jobs, whose status has had another name for it since.
  if (path == "status.successful")
    return {"status", "succeeded"};
  json_path keys;
  std::size_t from = 0;
  while (from <= path.size()) {
    auto dot = std::min(path.find('.', from), path.size());
    keys.push_back(path.substr(from, dot - from));
    from = dot + 1;
  }
  return keys;
}

/// The string at a dotted path; absent ones are "".
std::string text_at_dotted_path(const json& object, const std::string& path) {
  const json* here = &object;
  for (const auto& key : split_dotted_path(path)) {
    if (!here->is_object())
      return {};
    auto i = here->find(key);
    if (i == here->end())
      return {};
    here = &*i;
  }
  if (here->is_string())
    return here->get<std::string>();
  return here->is_null() ? std::string{} : to_text(*here);
}

/// Selectors compare fields that are no texts as if they were always there.
const char* default_field_value(const std::string& key) {
  if (key == "spec.hostNetwork" || key == "spec.unschedulable")
    return "false";
  return key == "status.replicas" || key == "status.successful" ? "0" : "";
}

/// Why a key or a value cannot be one of a label; "" if it can.
std::string find_requirement_error(const requirement& r) {
  if (auto wrong = qualified_name_errors(r.key); !wrong.empty())
    return "Invalid value: " + to_quoted(r.key) + ": " + wrong[0];
  bool compares = r.op == operation::greater || r.op == operation::less;
  for (const auto& v : r.values) {
    if (auto why = label_value_error(v); !why.empty())
      return "values[0][" + r.key + "]: Invalid value: " + to_quoted(v) + ": "
             + why;
    char* end = nullptr;
    std::strtoll(v.c_str(), &end, 10);
    if (compares && (v.empty() || *end))
      return "values[0]: Invalid value: " + to_quoted(v)
             + ": for 'Gt', 'Lt' operators, the value must be an integer";
  }
  return {};
}

bool is_satisfied(const requirement& r, const std::string* value) {
  bool listed =
      value
      && std::find(r.values.begin(), r.values.end(), *value) != r.values.end();
  switch (r.op) {
  case operation::in:
    return listed;
  case operation::not_in:
    return !listed;
  case operation::exists:
    return value;
  case operation::absent:
    return !value;
  case operation::greater:
  case operation::less:
    break;
  }
  if (!value || r.values.empty())
    return false;
  auto a = std::strtoll(value->c_str(), nullptr, 10);
  auto b = std::strtoll(r.values[0].c_str(), nullptr, 10);
  return r.op == operation::greater ? a > b : a < b;
}

} // namespace

bool selector::matches(const stored_object& object) const {
  if (empty())
    return true;
  std::vector<json_path> read;
  if (!labels.empty())
    read.push_back({"metadata", "labels"});
  for (const auto& r : fields)
    read.push_back(split_dotted_path(r.key));
  return object.read_members(
      read, [this](const json& value) { return matches(value); });
}

bool selector::matches(const json& object) const {
  auto* all =
      labels.empty() ? nullptr : find_value(object, {"metadata", "labels"});
  for (const auto& r : labels) {
    const std::string* value = nullptr;
    if (all && all->is_object())
      if (auto i = all->find(r.key); i != all->end() && i->is_string())
        value = &i->get_ref<const std::string&>();
    if (!is_satisfied(r, value))
      return false;
  }
  for (const auto& r : fields) {
    auto value = text_at_dotted_path(object, r.key);
    if (value.empty())
      value = default_field_value(r.key);
    if (!is_satisfied(r, &value))
      return false;
  }
  return true;
}

status_or<std::vector<requirement>>
parse_label_selector(const std::string& text) {
  std::vector<requirement> out;
  scanner s{text};
  while (!s.at_end()) {
    requirement r;
    bool negated = s.skip_token("!");
    r.key = s.read_word();
    if (r.key.empty())
      return selector_parse_error(text, "a label key is missing");
    if (negated)
      r.op = operation::absent;
    else if (!read_operator_and_values(s, r))
      return selector_parse_error(text, "expected =, !=, ==, in, notin, <, >");
    if (auto why = find_requirement_error(r); !why.empty())
      return bad_request("unable to parse requirement: " + why);
    out.push_back(std::move(r));
    if (s.at_end())
      break;
    if (!s.skip_token(","))
      return selector_parse_error(text, "expected ',' or the end");
    if (s.at_end())
      return selector_parse_error(text, "expected a label key after ','");
  }
  return out;
}

namespace {

/// The terms between commas; a backslash takes the meaning from the next
/// character.
std::vector<std::string> split_field_selector_terms(const std::string& text) {
  std::vector<std::string> terms(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',') {
      terms.emplace_back();
      continue;
    }
    terms.back() += text[i];
    if (text[i] == '\\' && i + 1 < text.size())
      terms.back() += text[++i];
  }
  return terms;
}

/// The value without its escapes: \\, \, and \=, which stand for the character.
status_or<std::string> unescape_field_value(const std::string& value) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '=')
      return bad_request(
          "invalid field selector: unescaped character in value: =");
    if (value[i] == '\\') {
      auto escape = value.substr(i, 2);
      if (escape != "\\\\" && escape != "\\," && escape != "\\=")
        return bad_request("invalid field selector: invalid escape sequence: "
                           + escape);
      ++i;
    }
    out += value[i];
  }
  return out;
}

} // namespace

status_or<std::vector<requirement>>
parse_field_selector(const std::string& text,
                     const std::vector<std::string>& known,
                     const std::string& resource) {
  std::vector<requirement> out;
  for (const auto& term : split_field_selector_terms(text)) {
    if (term.empty())
      continue;
    auto eq = term.find('=');
    if (eq == term.npos)
      return bad_request("invalid selector: '" + text + "'; can't understand '"
                         + term + "'");
    bool negated = eq > 0 && term[eq - 1] == '!';
    bool twice = !negated && term.compare(eq, 2, "==") == 0;
    auto value = unescape_field_value(term.substr(eq + (twice ? 2 : 1)));
    if (!value)
      return value.error();
    requirement r;
    r.key = term.substr(0, negated ? eq - 1 : eq);
    r.op = negated ? operation::not_in : operation::in;
    r.values = {*value};
    if (std::find(known.begin(), known.end(), r.key) == known.end())
      return bad_request("Unable to find \"" + resource
                         + "\" that match label selector \"\", field selector "
                           "\""
                         + text + "\": field label not supported: " + r.key);
    out.push_back(std::move(r));
  }
  return out;
}

} // namespace troupe::k8s::apiserver
