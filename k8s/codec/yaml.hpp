#pragma once

#include "k8s/json.hpp"

#include <map>
#include <string>
#include <vector>

namespace troupe::k8s {

/// One document of a YAML file.
struct yaml_document {
  json value;
  std::string where; ///< "job.yaml:12", of its first line.
  /// The lines of the fields that are written out, by path
  /// ("spec.containers[0].name"). Documents in JSON, and fields that come from
  /// an alias, have none.
  std::map<std::string, int> field_lines = {};
};

/// A document made of one field of a document; `value` is the field's value.
yaml_document subdocument_of_field(const yaml_document& d,
                                   const std::string& path, json value);

/// Where a field is in its file, "job.yaml:14": its own line, or that of the
/// nearest one around it whose line is known.
std::string nearest_known_location_of_field(const yaml_document& d,
                                            std::string path);

/// What a document may have; aliases count as what they stand for. More is
/// refused.
struct yaml_limits {
  // Anchors can make a small file huge; nothing honest comes near this.
  std::size_t nodes = 1'000'000;
  std::size_t depth = 200;
};

/// Reads YAML (or JSON, which is YAML) with any number of documents; empty ones
/// are left out. Errors name `source` and the line.
result<std::vector<yaml_document>> parse_yaml(const std::string& text,
                                              const std::string& source,
                                              yaml_limits limits = {});

/// The JSON value of a YAML scalar. `tag` is the parser's: "!" for quoted and
/// block scalars, "?" for plain ones, else a tag that was written out.
///
/// Plain scalars are read as kubectl reads them. Most follow YAML 1.1: yes, no,
/// on and off are truth values and 0644 is octal. The exceptions are that y and
/// n are words, and that 12:30:45 and 2026-01-31 are text.
json parse_yaml_scalar(const std::string& text, const std::string& tag);

} // namespace troupe::k8s
