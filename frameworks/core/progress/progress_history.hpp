#pragma once

#include "frameworks/core/progress/progress_status.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace troupe::core {

/// How the metrics of a job went, for a chart: those of its first report whose
/// values are numbers. Keeps a bounded number of points; when there are too
/// many, every second one goes, and points come half as often from then on. A
/// value.
class progress_history {
public:
  static constexpr std::size_t most_points = 60;
  static constexpr std::size_t most_metrics = 8;

  struct point {
    k8s::time_point time{};
    /// In the order of names(); not a number (NaN) where it was not told.
    std::vector<double> values;
  };

  void add(const progress_status& report);

  const std::vector<std::string>& names() const { return names_; }
  /// The last one is the latest report.
  const std::vector<point>& points() const { return points_; }

private:
  std::vector<std::string> names_;
  std::vector<point> points_;
  std::size_t every_ = 1;   ///< Of so many reports one stays.
  std::size_t skipped_ = 0; ///< Since the last one that stays.
};

} // namespace troupe::core
