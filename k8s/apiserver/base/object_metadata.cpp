#include "k8s/apiserver/base/object_metadata.hpp"

#include "k8s/objects.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

namespace {

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool has_dns1123_label_characters(std::string_view s) {
  auto plain = [](char c) { return is_lower(c) || is_digit(c); };
  return !s.empty() && plain(s.front()) && plain(s.back())
         && std::all_of(s.begin(), s.end(),
                        [&](char c) { return plain(c) || c == '-'; });
}

// Of names API servers say characters, of labels bytes.
std::string too_long_message(std::size_t n, const char* unit = "characters") {
  return "must be no more than " + std::to_string(n) + " " + unit;
}

constexpr const char* qualified_name_rule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
    "'123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

constexpr const char* label_value_rule =
    "a valid label must be an empty string or consist of alphanumeric "
    "characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
    "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// Of all annotations of an object, in bytes.
constexpr std::size_t most_annotations = 256 * 1024;

void check_labels(const json& labels, field_errors& out) {
  for (const auto& [key, value] : labels.items()) {
    for (const auto& why : qualified_name_errors(key))
      out.push_back(invalid_value("metadata.labels", key, why));
    if (auto why = label_value_error(text_at(labels, {key.c_str()}));
        !why.empty())
      out.push_back(invalid_value("metadata.labels", value, why));
  }
}

void check_annotations(const json& notes, field_errors& out) {
  std::size_t size = 0;
  for (const auto& [key, value] : notes.items()) {
    for (const auto& why : qualified_name_errors(lower_case(key)))
      out.push_back(invalid_value("metadata.annotations", key, why));
    size += key.size() + text_at(notes, {key.c_str()}).size();
  }
  if (size > most_annotations)
    out.push_back({"metadata.annotations", "FieldValueTooLong",
                   "Too long: may not be more than "
                       + std::to_string(most_annotations) + " bytes"});
}

/// Of "group/version" or "version".
bool has_group_version_form(const std::string& api_version) {
  return !api_version.empty()
         && std::count(api_version.begin(), api_version.end(), '/') < 2;
}

void validate_owner_references(const json& owners, field_errors& out) {
  const std::string all = "metadata.ownerReferences";
  const json* controller = nullptr;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const auto& owner = owners[i];
    auto here = all + "[" + std::to_string(i) + "]";
    const auto& version = text_at(owner, {"apiVersion"});
    for (auto key : {"apiVersion", "kind", "name", "uid"})
      if (text_at(owner, {key}).empty())
        out.push_back(required_value(here + "." + key, "must not be empty"));
    if (!version.empty() && !has_group_version_form(version))
      out.push_back(invalid_value(here + ".apiVersion", version,
                                  "must be <group>/<version> or <version>"));
    if (version == "v1" && text_at(owner, {"kind"}) == "Event")
      out.push_back(invalid_value(
          here, owner, "/v1, Kind=Event is disallowed from being an owner"));
    auto* c = find_value(owner, {"controller"});
    if (!c || *c != true)
      continue;
    if (!controller) {
      controller = &owner;
      continue;
    }
    auto named = [](const json& o) {
      return text_at(o, {"kind"}) + "/" + text_at(o, {"name"});
    };
    out.push_back(invalid_value(
        all, owners,
        "Only one reference can have Controller set to true. Found \"true\" in "
        "references for "
            + named(*controller) + " and " + named(owner)));
  }
}

bool is_standard_finalizer(const std::string& name) {
  return name == "kubernetes" || name == orphan_finalizer
         || name == foreground_finalizer;
}

void validate_finalizers(const json& finalizers, bool is_custom_resource,
                         field_errors& out) {
  const std::string here = "metadata.finalizers";
  for (std::size_t i = 0; i < finalizers.size(); ++i) {
    const auto& name = finalizers[i].get_ref<const std::string&>();
    for (const auto& why : qualified_name_errors(name))
      out.push_back(invalid_value(here, name, why));
    if (!is_custom_resource && name.find('/') == name.npos
        && !is_standard_finalizer(name))
      out.push_back(invalid_value(here + "[" + std::to_string(i) + "]", name,
                                  "name is neither a standard finalizer name "
                                  "nor is it fully qualified"));
  }
  auto has = [&](const char* which) {
    return std::find(finalizers.begin(), finalizers.end(), which)
           != finalizers.end();
  };
  if (has(orphan_finalizer) && has(foreground_finalizer))
    out.push_back(invalid_value(
        here, finalizers,
        "finalizer orphan and foregroundDeletion cannot be both set"));
}

/// The type that a member of metadata has to have; nullptr if there is no such
/// member.
const char* expected_metadata_type(const std::string& key) {
  for (auto text :
       {"name", "generateName", "namespace", "uid", "selfLink",
        "resourceVersion", "creationTimestamp", "deletionTimestamp"})
    if (key == text)
      return "string";
  for (auto number : {"generation", "deletionGracePeriodSeconds"})
    if (key == number)
      return "integer";
  for (auto map : {"labels", "annotations"})
    if (key == map)
      return "map of strings";
  if (key == "finalizers")
    return "list of strings";
  return key == "ownerReferences" || key == "managedFields" ? "list of objects"
                                                            : nullptr;
}

bool is_of_metadata_type(const std::string& type, const json& value) {
  auto all = [&](auto is) {
    return std::all_of(value.begin(), value.end(), is);
  };
  auto is_text = [](const json& v) { return v.is_string(); };
  if (type == "string")
    return value.is_string();
  if (type == "integer")
    return value.is_number_integer();
  if (type == "map of strings")
    return value.is_object() && all(is_text);
  if (type == "list of strings")
    return value.is_array() && all(is_text);
  return value.is_array() && all([](const json& v) { return v.is_object(); });
}

} // namespace

std::string dns1123_label_error(const std::string& name) {
  if (name.size() > 63)
    return too_long_message(63);
  if (has_dns1123_label_characters(name))
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
    fine = has_dns1123_label_characters(
        std::string_view{name}.substr(from, dot - from));
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
  if (has_dns1123_label_characters(name) && is_lower(name.front()))
    return {};
  return "a DNS-1035 label must consist of lower case alphanumeric characters "
         "or '-', start with an alphabetic character, and end with an "
         "alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used "
         "for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
}

std::string namespace_name_error(const std::string& name) {
  if (name.find('.') != name.npos)
    return "must not contain dots";
  return dns1123_label_error(name);
}

std::vector<std::string> qualified_name_errors(const std::string& key) {
  auto slash = key.find('/');
  std::vector<std::string> out;
  if (slash != key.npos && key.find('/', slash + 1) != key.npos)
    return {std::string("a valid label key ") + qualified_name_rule
            + " with an optional DNS subdomain prefix and '/' (e.g. "
              "'example.com/MyName')"};
  if (slash == 0)
    out.push_back("prefix part must be non-empty");
  else if (slash != key.npos && slash > 253)
    out.push_back("prefix part " + too_long_message(253, "bytes"));
  else if (slash != key.npos)
    if (auto why = dns1123_subdomain_error(key.substr(0, slash)); !why.empty())
      out.push_back("prefix part " + why);
  auto name = slash == key.npos ? key : key.substr(slash + 1);
  if (name.empty())
    out.push_back("name part must be non-empty");
  else if (name.size() > 63)
    out.push_back("name part " + too_long_message(63, "bytes"));
  if (!is_alphanumeric_name(name))
    out.push_back(std::string("name part ") + qualified_name_rule);
  return out;
}

std::vector<std::string> port_name_errors(const std::string& name) {
  std::vector<std::string> out;
  if (name.size() > 15)
    out.push_back(too_long_message(15));
  auto plain = [](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
  if (!std::all_of(name.begin(), name.end(), plain))
    out.push_back("must contain only alpha-numeric characters (a-z, 0-9), and "
                  "hyphens (-)");
  if (std::none_of(name.begin(), name.end(), is_lower))
    out.push_back("must contain at least one letter (a-z)");
  if (name.find("--") != name.npos)
    out.push_back("must not contain consecutive hyphens");
  if (name.front() == '-' || name.back() == '-')
    out.push_back("must not begin or end with a hyphen");
  return out;
}

std::string label_value_error(const std::string& value) {
  if (value.size() > 63)
    return too_long_message(63, "bytes");
  return value.empty() || is_alphanumeric_name(value) ? "" : label_value_rule;
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

std::optional<status_error> check_metadata_types(const json& meta) {
  if (!meta.is_object())
    return bad_request("metadata must be an object");
  for (const auto& [key, value] : meta.items())
    if (auto* type = expected_metadata_type(key))
      if (!value.is_null() && !is_of_metadata_type(type, value))
        return bad_request("metadata." + key + " must be a " + type);
  for (auto key : {"creationTimestamp", "deletionTimestamp"})
    if (const auto& text = text_at(meta, {key});
        !text.empty() && !from_rfc3339(text))
      return bad_request(std::string("metadata.") + key + ": \"" + text
                         + "\" is not a time as in RFC 3339");
  return std::nullopt;
}

void validate_metadata_except_name(const json& object, bool is_custom_resource,
                                   field_errors& out) {
  if (auto* labels = find_value(object, {"metadata", "labels"}))
    check_labels(*labels, out);
  if (auto* notes = find_value(object, {"metadata", "annotations"}))
    check_annotations(*notes, out);
  if (auto* owners = find_value(object, {"metadata", "ownerReferences"}))
    validate_owner_references(*owners, out);
  if (auto* finalizers = find_value(object, {"metadata", "finalizers"}))
    validate_finalizers(*finalizers, is_custom_resource, out);
}

void add_unqualified_finalizer_warnings(const json& object,
                                        std::vector<std::string>& warnings) {
  auto* finalizers = find_value(object, {"metadata", "finalizers"});
  if (!finalizers)
    return;
  for (const auto& f : *finalizers)
    if (const auto& name = f.get_ref<const std::string&>();
        name.find('/') == name.npos && !is_standard_finalizer(name))
      warnings.push_back("metadata.finalizers: \"" + name
                         + "\": prefer a domain-qualified finalizer name to "
                           "avoid accidental conflicts with other finalizer "
                           "writers");
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
