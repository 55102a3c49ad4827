#include "frameworks/core/spec/volcano_policy_reading.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/labels.hpp"
#include "frameworks/core/spec/policy_parts.hpp"
#include "k8s/text.hpp"

#include <charconv>
#include <limits>

namespace troupe::core {

namespace {

constexpr auto largest = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t longest_tier_name = 253;

/// Volcano itself takes hard without a tier as no constraint, and says nothing.
constexpr const char* hard_needs_tier =
    "Required value: mode hard needs the highest tier that the pods may span, "
    "without which Volcano places them anywhere; set ";

// -- of the whole job ---------------------------------------------------------

class annotated_topology {
public:
  annotated_topology(const policy_annotations& given, field_errors& errors)
      : given_{given}
      , errors_{errors} {}

  /// nullopt if nothing is asked for, or part of it is wrong.
  std::optional<network_topology> read() {
    if (!given_.topology_mode && !given_.topology_tier
        && !given_.topology_tier_name)
      return std::nullopt;
    network_topology out;
    if (given_.topology_mode)
      read_mode(out, *given_.topology_mode);
    if (given_.topology_tier)
      read_tier(out, *given_.topology_tier);
    if (given_.topology_tier_name)
      read_tier_name(out, *given_.topology_tier_name);
    else if (!given_.topology_tier && out.hard)
      add_error(label::topology_tier, std::string{hard_needs_tier}
                                          + "this annotation, or "
                                          + label::topology_mode + ": soft");
    return is_right_ ? std::optional{std::move(out)} : std::nullopt;
  }

private:
  void add_error(const char* name, std::string text) {
    errors_.add(field_path::of_annotation(name), std::move(text));
    is_right_ = false;
  }

  /// Volcano reads it in any case of letters.
  void read_mode(network_topology& out, const std::string& text) {
    auto mode = k8s::lower_case(text);
    out.hard = mode != "soft";
    if (mode != "soft" && mode != "hard")
      add_error(label::topology_mode,
                "Unsupported value: " + value_for_error(text) + ": "
                    + supported_values({"hard", "soft"}));
  }

  void read_tier(network_topology& out, const std::string& text) {
    std::int32_t tier = -1;
    auto end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, tier);
    if (error == std::errc{} && stop == end && tier >= 0)
      out.highest_tier = tier;
    else
      add_error(label::topology_tier,
                "Invalid value: " + value_for_error(text)
                    + ": must be the number of a tier, a whole number from 0 "
                      "to "
                    + std::to_string(largest) + "; a name belongs in "
                    + label::topology_tier_name);
  }

  void read_tier_name(network_topology& out, const std::string& text) {
    if (given_.topology_tier)
      add_error(label::topology_tier_name,
                std::string{"Forbidden: "} + label::topology_tier
                    + " is set, too; remove one of the two");
    else if (text.empty())
      add_error(label::topology_tier_name,
                "Required value: must be the name of a tier; without one "
                "remove the annotation");
    else if (text.size() > longest_tier_name)
      add_error(label::topology_tier_name,
                "Too long: has " + std::to_string(text.size())
                    + " bytes, the limit is "
                    + std::to_string(longest_tier_name));
    else
      out.highest_tier_name = text;
  }

  const policy_annotations& given_;
  field_errors& errors_;
  bool is_right_ = true;
};

// -- of a replica type --------------------------------------------------------

std::optional<network_topology> read_topology(const checked_object& of_type,
                                              field_errors& errors) {
  const auto* value = of_type.find("networkTopology");
  if (!value)
    return std::nullopt;
  checked_object fields{*value,
                        of_type.at().child("networkTopology"),
                        errors,
                        {"mode", "highestTierAllowed", "highestTierName"}};
  if (!fields.is_object())
    return std::nullopt;
  network_topology out;
  auto mode = fields.word("mode", {"hard", "soft"});
  out.hard = mode != "soft";
  out.highest_tier = fields.number("highestTierAllowed", 0, largest);
  auto name = fields.text("highestTierName", longest_tier_name);
  out.highest_tier_name = name.value_or("");
  bool has_tier = fields.has("highestTierAllowed");
  bool has_name = fields.has("highestTierName");
  if (has_tier && has_name)
    fields.add_error("highestTierName", "Forbidden: highestTierAllowed is set, "
                                        "too; remove one of the two");
  else if (out.hard && !has_tier && !has_name)
    fields.add_error("highestTierAllowed", std::string{hard_needs_tier}
                                               + "this or highestTierName, or "
                                                 "mode: soft");
  bool is_right = mode.has_value() == fields.has("mode")
                  && out.highest_tier.has_value() == has_tier
                  && name.has_value() == has_name && !(has_tier && has_name)
                  && (has_tier || has_name || !out.hard);
  return is_right ? std::optional{std::move(out)} : std::nullopt;
}

sub_group_policy read_sub_group(const json& value, const std::string& type,
                                const field_path& at, field_errors& errors) {
  checked_object fields{
      value, at, errors, {"subGroupSize", "minSubGroups", "networkTopology"}};
  sub_group_policy out;
  out.type = type;
  out.size = fields.number("subGroupSize", 1, largest);
  out.least_groups = fields.number("minSubGroups", 0, largest);
  out.topology = read_topology(fields, errors);
  return out;
}

std::vector<sub_group_policy>
read_sub_groups(const std::string& text, const job& of, field_errors& errors) {
  const auto at = field_path::of_annotation(label::sub_group_policy);
  const auto value = parse_policy_annotation(text, at, errors);
  std::vector<sub_group_policy> out;
  if (value.is_null())
    return out;
  if (!value.is_object() || value.empty()) {
    errors.add(at, "Invalid value: " + value_for_error(value)
                       + ": must be an object with replica types as its "
                         "fields, such as {\"Worker\": {\"subGroupSize\": 8}}");
    return out;
  }
  for (const auto& [name, policy] : value.items()) {
    const auto* type = find_spelled_type(of, name);
    const auto place = at.child(k8s::shorten_text(name, 63));
    if (!type) {
      errors.add(place, "Unsupported value: " + value_for_error(name) + ": "
                            + supported_values(types_of(of)));
      continue;
    }
    field_errors own;
    auto read = read_sub_group(policy, type->label, place, own);
    auto wrong = own.take();
    if (wrong.empty()) // Half of it would divide the pods otherwise.
      out.push_back(std::move(read));
    for (auto& e : wrong)
      errors.add(std::move(e));
  }
  return out;
}

} // namespace

std::shared_ptr<const volcano_policy>
read_volcano_policy(const job& of, const policy_annotations& annotations,
                    field_errors& errors) {
  volcano_policy out;
  out.topology = annotated_topology{annotations, errors}.read();
  if (annotations.sub_groups)
    out.sub_groups = read_sub_groups(*annotations.sub_groups, of, errors);
  return out.topology || !out.sub_groups.empty()
             ? std::make_shared<const volcano_policy>(std::move(out))
             : nullptr;
}

} // namespace troupe::core
