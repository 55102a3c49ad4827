#pragma once

#include "k8s/deep_json.hpp"
#include "k8s/json.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace troupe::fixtures {

using nlohmann::json;

/// The job with a template this much too deep for what is read elsewhere.
inline json with_nesting(json job, std::size_t levels) {
  std::string text(levels, '[');
  text.append(levels, ']');
  k8s::run_on_deep_json_thread([&] {
    job["spec"]["x"] = "here";
    auto whole = k8s::to_text(job);
    auto at = whole.find("\"here\"");
    whole.replace(at, 6, text);
    job = *k8s::parse_json(whole);
  });
  return job;
}

/// `[0,0,...]` with so many items.
inline std::string zeros(std::size_t count) {
  std::string text = "[0";
  for (std::size_t i = 1; i < count; ++i)
    text += ",0";
  return text + "]";
}

} // namespace troupe::fixtures
