#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace troupe::cli {

/// The JSON value of a YAML scalar. `tag` is the parser's: "!" for quoted and
/// block scalars, "?" for plain ones, else a tag that was written out.
///
/// Plain scalars are read as kubectl reads them, that is by YAML 1.1 with the
/// sharpest edges off: yes, no, on and off are truth values and 0644 is octal,
/// but y and n are words, and 12:30:45 and 2026-01-31 are text.
nlohmann::json scalar(const std::string& text, const std::string& tag);

} // namespace troupe::cli
