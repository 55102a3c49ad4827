#include "frameworks/core/progress/progress_history.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace troupe::core {

namespace {

constexpr double not_told = std::numeric_limits<double>::quiet_NaN();

/// not_told if the text is no finite number.
double number_of(const std::string& text) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  bool is_number = !text.empty() && end == text.c_str() + text.size();
  return is_number && std::isfinite(value) ? value : not_told;
}

double value_of(const progress_status& report, const std::string& name) {
  for (const auto& one : report.metrics)
    if (one.name == name)
      return number_of(one.value);
  return not_told;
}

} // namespace

void progress_history::add(const progress_status& report) {
  for (const auto& one : report.metrics)
    if (names_.size() < most_metrics && !std::isnan(number_of(one.value))
        && std::find(names_.begin(), names_.end(), one.name) == names_.end()) {
      names_.push_back(one.name);
      for (auto& p : points_)
        p.values.push_back(not_told);
    }
  point next{report.time, {}};
  for (const auto& name : names_)
    next.values.push_back(value_of(report, name));
  // The last point is always the latest report; it stays if its turn has come.
  bool stays = points_.empty() || skipped_ == 0;
  if (stays)
    points_.push_back(std::move(next));
  else
    points_.back() = std::move(next);
  skipped_ = (skipped_ + 1) % every_;
  if (points_.size() <= most_points)
    return;
  std::vector<point> kept;
  for (std::size_t i = 0; i < points_.size(); i += 2)
    kept.push_back(std::move(points_[i]));
  points_ = std::move(kept);
  every_ *= 2;
  skipped_ = 1 % every_;
}

} // namespace troupe::core
