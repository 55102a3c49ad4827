#pragma once

#include "actors/metrics/metrics.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>

namespace troupe::fixtures {

/// The value of a series in an exposition text, "" if it is not there.
inline std::string text_of_series(const std::string& exposition,
                                  const std::string& series) {
  auto text = "\n" + exposition;
  auto from = text.find("\n" + series + " ");
  if (from == std::string::npos)
    return "";
  from += series.size() + 2;
  return text.substr(from, text.find('\n', from) - from);
}

inline std::string metric_text(const actors::metrics& m,
                               const std::string& series,
                               k8s::time_point now = {}) {
  return text_of_series(m.exposition_text(now, nullptr), series);
}

inline double metric_value(const actors::metrics& m, const std::string& series,
                           k8s::time_point now = {}) {
  auto text = metric_text(m, series, now);
  if (text.empty())
    throw std::runtime_error("no such series: " + series);
  return std::stod(text);
}

} // namespace troupe::fixtures
