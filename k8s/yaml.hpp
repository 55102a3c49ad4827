#pragma once

#include "k8s/json.hpp"

#include <string>
#include <vector>

namespace troupe::k8s {

/// One document of a YAML file.
struct yaml_document {
  json value;
  std::string where; ///< "job.yaml:12", of its first line.
};

/// Reads YAML (or JSON, which is YAML) with any number of documents; empty ones
/// are left out. Errors name `source` and the line.
result<std::vector<yaml_document>> parse_yaml(const std::string& text,
                                              const std::string& source);

/// The JSON value of a YAML scalar. `tag` is the parser's: "!" for quoted and
/// block scalars, "?" for plain ones, else a tag that was written out.
///
/// Plain scalars are read as kubectl reads them, that is by YAML 1.1 with the
/// sharpest edges off: yes, no, on and off are truth values and 0644 is octal,
/// but y and n are words, and 12:30:45 and 2026-01-31 are text.
json yaml_scalar(const std::string& text, const std::string& tag);

} // namespace troupe::k8s
