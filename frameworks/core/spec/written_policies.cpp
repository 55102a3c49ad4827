#include "frameworks/core/spec/written_policies.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/labels.hpp"
#include "k8s/codec/yaml.hpp"
#include "k8s/text.hpp"

namespace troupe::core {

namespace {

/// Of an annotation. With all rules at their limits a policy is longer: that
/// has room in `spec` only.
constexpr std::size_t most_text = 16 * 1'024;
/// A value takes a hundred bytes, and aliases repeat them.
constexpr k8s::yaml_limits policy_limits{8'000, 16};

std::string invalid_text(const std::string& why) {
  return "Invalid value: " + why;
}

/// "line 3: not YAML: ..." of "line:3: not YAML: ...".
std::string with_line_number(std::string message) {
  constexpr std::string_view source = "line:";
  if (message.compare(0, source.size(), source) == 0)
    message[source.size() - 1] = ' ';
  return message;
}

field_path path_in_spec(const policy_place& place) {
  return field_path::of_field(std::string{"spec.runPolicy."} + place.field);
}

field_path path_in_annotation(const policy_place& place) {
  return field_path::of_annotation(place.label);
}

struct named_annotation {
  const char* name;
  std::optional<std::string> policy_annotations::*value;
};

constexpr named_annotation annotations_of_policies[] = {
    {label::failure_policy, &policy_annotations::failure},
    {label::success_policy, &policy_annotations::success},
    {label::progress, &policy_annotations::progress},
    {label::topology_mode, &policy_annotations::topology_mode},
    {label::topology_tier, &policy_annotations::topology_tier},
    {label::topology_tier_name, &policy_annotations::topology_tier_name},
    {label::sub_group_policy, &policy_annotations::sub_groups},
    {label::topology, &policy_annotations::topology},
    {label::disruption_mode, &policy_annotations::disruption_mode},
};

} // namespace

std::string policy_annotations::text() const {
  std::string out;
  std::string absent;
  for (const auto& known : annotations_of_policies)
    if (const auto& value = this->*known.value) {
      out += absent;
      absent.clear();
      k8s::append_quoted(out, *value);
    } else {
      absent += "-";
    }
  return out;
}

policy_annotations
policy_annotations_of(const std::map<std::string, std::string>& annotations) {
  policy_annotations out;
  for (const auto& known : annotations_of_policies)
    if (auto i = annotations.find(known.name); i != annotations.end())
      out.*known.value = i->second;
  return out;
}

policy_annotations policy_annotations_of(const json& annotations) {
  policy_annotations out;
  for (const auto& known : annotations_of_policies)
    if (const auto& text = value_at(annotations, {known.name});
        text.is_string())
      out.*known.value = text.get<std::string>();
  return out;
}

json parse_policy_annotation(const std::string& text, const field_path& at,
                             field_errors& errors) {
  if (text.size() > most_text) {
    errors.add(at, "Too long: has " + std::to_string(text.size())
                       + " bytes, the limit is " + std::to_string(most_text));
    return nullptr;
  }
  auto read = k8s::parse_yaml(text, "line", policy_limits);
  if (!read) {
    errors.add(at, invalid_text(with_line_number(read.error().message)));
    return nullptr;
  }
  if (read->size() == 1)
    return std::move(read->front().value);
  errors.add(at, read->empty()
                     ? "Required value: must be a policy, as YAML or JSON; "
                       "without one remove the annotation"
                     : invalid_text("must be one YAML document, not "
                                    + std::to_string(read->size())));
  return nullptr;
}

field_path path_of_policy(const json& spec, const policy_place& place) {
  bool is_in_spec = !value_at(spec, {"runPolicy", place.field}).is_null();
  return is_in_spec || !place.annotation ? path_in_spec(place)
                                         : path_in_annotation(place);
}

json find_written_policy(const json& spec, const policy_place& place,
                         field_errors& errors) {
  const auto& in_spec = value_at(spec, {"runPolicy", place.field});
  const auto at = path_in_annotation(place);
  if (in_spec.is_null())
    return place.annotation
               ? parse_policy_annotation(*place.annotation, at, errors)
               : json{};
  if (place.annotation)
    errors.add(at, "Forbidden: " + path_in_spec(place).text()
                       + " is set, too; remove one of the two");
  return in_spec;
}

} // namespace troupe::core
