#include "frameworks/di/base/dijob_versions.hpp"

#include "frameworks/core/base/json.hpp"

#include <algorithm>

namespace troupe::frameworks::di {

using namespace core;

namespace {

const dijob_version both_versions[] = {
    {"v1alpha1",
     false,
     {{"coordinator", "null"},
      {"collector", "null"},
      {"learner", "null"},
      {"group", "null"},
      {"priorityClassName", "null"}}},
    {"v2alpha1",
     true,
     {{"tasks", "[]"},
      {"backoffLimit", "3"},
      {"preemptible", "false"},
      {"priority", "\"normal\""}}},
};

/// Whether a field says no more than if it were absent.
bool is_empty_or_default(const json& value, const json& default_value) {
  return value.is_null() || value == default_value
         || (value.is_structured() && value.empty()) || value == "";
}

} // namespace

const dijob_version* find_dijob_version(const std::string& name) {
  for (const auto& v : both_versions)
    if (name == v.name)
      return &v;
  return nullptr;
}

const dijob_version& other_dijob_version(const dijob_version& version) {
  return &version == both_versions ? both_versions[1] : both_versions[0];
}

const dijob_version* dijob_version_of(const json& job) {
  const auto& text = text_at(job, {"apiVersion"});
  const std::string prefix = dijob_group_prefix;
  return text.compare(0, prefix.size(), prefix) == 0
             ? find_dijob_version(text.substr(prefix.size()))
             : nullptr;
}

const common_fields& common_spec_fields() {
  static const common_fields fields{{"cleanPodPolicy", "Running"},
                                    {"volumes", ""}};
  return fields;
}

const common_fields& common_status_fields() {
  static const common_fields fields{{"phase", "Pending"}, {"conditions", ""}};
  return fields;
}

bool is_common_field(const common_fields& fields, const std::string& name) {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const auto& f) { return name == f.name; });
}

std::string find_version_specific_spec_field(const json& spec,
                                             const dijob_version& version) {
  if (!spec.is_object())
    return {};
  for (const auto& [name, value] : spec.items()) {
    if (is_common_field(common_spec_fields(), name))
      continue;
    json unset;
    for (const auto& own : version.spec)
      if (name == own.name)
        unset = json::parse(own.default_value);
    if (!is_empty_or_default(value, unset))
      return "spec." + name;
  }
  return {};
}

std::string find_version_specific_status_field(const json& status) {
  if (status.is_object())
    for (const auto& [name, value] : status.items())
      if (!is_common_field(common_status_fields(), name)
          && !is_empty_or_default(value, 0) && value != false)
        return "status." + name;
  return {};
}

void reset_own_and_fill_common_fields(json& spec,
                                      const dijob_version& version) {
  for (const auto& own : version.spec)
    if (auto value = json::parse(own.default_value); !value.is_null())
      spec[own.name] = std::move(value);
  if (version.fills_in_defaults)
    for (const auto& common : common_spec_fields())
      if (*common.default_value && value_at(spec, {common.name}).is_null())
        spec[common.name] = common.default_value;
}

} // namespace troupe::frameworks::di
