#pragma once

#include "actors/metrics.hpp"

#include <stdexcept>
#include <string>

namespace troupe::fixtures {

/// The value of a series as the text has it, "" if it is not there.
inline std::string metric_text(const actors::metrics& m,
                               const std::string& series) {
  auto text = "\n" + m.text();
  auto from = text.find("\n" + series + " ");
  if (from == std::string::npos)
    return "";
  from += series.size() + 2;
  return text.substr(from, text.find('\n', from) - from);
}

inline double metric_value(const actors::metrics& m,
                           const std::string& series) {
  auto text = metric_text(m, series);
  if (text.empty())
    throw std::runtime_error("no such series: " + series);
  return std::stod(text);
}

} // namespace troupe::fixtures
