#pragma once

#include "frameworks/core/spec/checked_fields.hpp"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <optional>
#include <string>

namespace troupe::core {

/// The annotations of a job that are about its policies; nullopt: it has no
/// such one.
struct policy_annotations {
  std::optional<std::string> failure;
  std::optional<std::string> success;
  std::optional<std::string> progress = {};
  std::optional<std::string> topology_mode = {};
  std::optional<std::string> topology_tier = {};
  std::optional<std::string> topology_tier_name = {};
  std::optional<std::string> sub_groups = {};
  std::optional<std::string> topology = {};
  std::optional<std::string> disruption_mode = {};

  /// As one text, "" if there are none.
  std::string text() const;
};
policy_annotations
policy_annotations_of(const std::map<std::string, std::string>& annotations);
/// `annotations` is an object of texts, or null.
policy_annotations policy_annotations_of(const nlohmann::json& annotations);

/// A policy that can be written in two places.
struct policy_place {
  const char* field; ///< Of `spec.runPolicy`.
  const char* label; ///< Of the annotation, whose text is YAML.
  const std::optional<std::string>& annotation;
};

/// Where the policy is; `spec` counts if it is in both places.
field_path path_of_policy(const nlohmann::json& spec,
                          const policy_place& place);

/// The policy as it is written, or null. Written in both places, it is an
/// error.
nlohmann::json find_written_policy(const nlohmann::json& spec,
                                   const policy_place& place,
                                   field_errors& errors);

/// The value of an annotation, whose text is YAML; null if it is none, which is
/// an error.
nlohmann::json parse_policy_annotation(const std::string& text,
                                       const field_path& at,
                                       field_errors& errors);

} // namespace troupe::core
