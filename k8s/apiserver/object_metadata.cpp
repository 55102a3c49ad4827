#include "k8s/apiserver/object_metadata.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_dns1123_label(std::string_view s) {
  auto plain = [](char c) { return is_lower(c) || is_digit(c); };
  return !s.empty() && plain(s.front()) && plain(s.back())
         && std::all_of(s.begin(), s.end(),
                        [&](char c) { return plain(c) || c == '-'; });
}

std::string too_long_message(std::size_t n) {
  return "must be no more than " + std::to_string(n) + " characters";
}

// Letters, digits, '-', '_' and '.', with a letter or digit at both ends.
bool is_alphanumeric_name(std::string_view s) {
  auto plain = [](char c) { return is_lower(c) || is_upper(c) || is_digit(c); };
  return !s.empty() && plain(s.front()) && plain(s.back())
         && std::all_of(s.begin(), s.end(), [&](char c) {
              return plain(c) || c == '-' || c == '_' || c == '.';
            });
}

constexpr const char* alphanumeric_name_rule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start "
    "and end with an alphanumeric character";

std::string qualified_name_error(const std::string& key) {
  auto slash = key.find('/');
  auto name = slash == key.npos ? key : key.substr(slash + 1);
  if (slash != key.npos)
    if (auto why = dns1123_subdomain_error(key.substr(0, slash)); !why.empty())
      return "prefix part " + why;
  if (name.empty())
    return "name part must be non-empty";
  if (name.size() > 63)
    return "name part " + too_long_message(63);
  return is_alphanumeric_name(name)
             ? ""
             : std::string("name part ") + alphanumeric_name_rule;
}

void check_labels(const json& labels, field_errors& out) {
  if (!labels.is_object()) {
    out.push_back(
        invalid_value("metadata.labels", labels, "must be an object"));
    return;
  }
  for (const auto& [key, value] : labels.items()) {
    if (auto why = qualified_name_error(key); !why.empty())
      out.push_back(invalid_value("metadata.labels", key, why));
    if (!value.is_string())
      out.push_back(
          invalid_value("metadata.labels", value, "must be a string"));
    else if (const auto& v = value.get_ref<const std::string&>(); v.size() > 63)
      out.push_back(
          invalid_value("metadata.labels", value, too_long_message(63)));
    else if (!v.empty() && !is_alphanumeric_name(v))
      out.push_back(
          invalid_value("metadata.labels", value,
                        std::string("a valid label must be an empty string or ")
                            + alphanumeric_name_rule));
  }
}

void validate_owner_references(const json& owners, field_errors& out) {
  bool controlled = false;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    auto here = "metadata.ownerReferences[" + std::to_string(i) + "].";
    for (auto key : {"apiVersion", "kind", "name", "uid"})
      if (text_at(owners[i], {key}).empty())
        out.push_back(invalid_value(here + key, "", "must not be empty"));
    auto* c = find_value(owners[i], {"controller"});
    if (!c || *c != true)
      continue;
    if (std::exchange(controlled, true))
      out.push_back(
          invalid_value("metadata.ownerReferences", owners,
                        "Only one reference can have Controller set to true"));
  }
}

} // namespace

std::string dns1123_label_error(const std::string& name) {
  if (name.size() > 63)
    return too_long_message(63);
  if (is_dns1123_label(name))
    return {};
  return "a lowercase RFC 1123 label must consist of lower case alphanumeric "
         "characters or '-', and must start and end with an alphanumeric "
         "character (e.g. 'my-name',  or '123-abc', regex used for validation "
         "is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
}

std::string dns1123_subdomain_error(const std::string& name) {
  if (name.size() > 253)
    return too_long_message(253);
  std::size_t from = 0;
  bool fine = true;
  while (fine && from <= name.size()) {
    auto dot = std::min(name.find('.', from), name.size());
    fine = is_dns1123_label(std::string_view{name}.substr(from, dot - from));
    from = dot + 1;
  }
  if (fine)
    return {};
  return "a lowercase RFC 1123 subdomain must consist of lower case "
         "alphanumeric characters, '-' or '.', and must start and end with an "
         "alphanumeric character (e.g. 'example.com', regex used for "
         "validation is "
         "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
}

std::string dns1035_label_error(const std::string& name) {
  if (name.size() > 63)
    return too_long_message(63);
  if (is_dns1123_label(name) && is_lower(name.front()))
    return {};
  return "a DNS-1035 label must consist of lower case alphanumeric characters "
         "or '-', start with an alphabetic character, and end with an "
         "alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used "
         "for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
}

std::string path_segment_error(const std::string& name) {
  for (const char* reserved : {".", ".."})
    if (name == reserved)
      return std::string{"may not be '"} + reserved + "'";
  for (char c : {'/', '%'})
    if (name.find(c) != name.npos)
      return std::string{"may not contain '"} + c + "'";
  return {};
}

void validate_labels_owners_annotations(const json& object, field_errors& out) {
  if (auto* labels = find_value(object, {"metadata", "labels"});
      labels && !labels->is_null())
    check_labels(*labels, out);
  if (auto* owners = find_value(object, {"metadata", "ownerReferences"});
      owners && owners->is_array())
    validate_owner_references(*owners, out);
  auto* notes = find_value(object, {"metadata", "annotations"});
  if (!notes || !notes->is_object())
    return;
  for (const auto& [key, value] : notes->items())
    if (!value.is_string())
      out.push_back(
          invalid_value("metadata.annotations", value, "must be a string"));
}

bool has_finalizers(const json& object) {
  auto* f = find_value(object, {"metadata", "finalizers"});
  return f && f->is_array() && !f->empty();
}

bool is_terminating(const json& object) {
  return find_value(object, {"metadata", "deletionTimestamp"});
}

bool has_finalizer(const json& object, const char* which) {
  auto* f = find_value(object, {"metadata", "finalizers"});
  return f && f->is_array()
         && std::find(f->begin(), f->end(), which) != f->end();
}

std::vector<std::string> owner_uids(const json& object) {
  std::vector<std::string> out;
  auto* owners = find_value(object, {"metadata", "ownerReferences"});
  if (owners && owners->is_array())
    for (const auto& o : *owners)
      out.push_back(text_at(o, {"uid"}));
  return out;
}

} // namespace troupe::k8s::apiserver
