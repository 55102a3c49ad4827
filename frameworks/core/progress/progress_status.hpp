#pragma once

#include "k8s/objects.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

// What is kept of a job's metrics; the first ones, if it has more.
inline constexpr std::size_t max_progress_metrics = 16;
inline constexpr std::size_t max_metric_name_bytes = 128;
inline constexpr std::size_t max_metric_value_bytes = 64;

/// A number that a training program tells of itself, as it writes it.
struct progress_metric {
  std::string name;  ///< "loss"
  std::string value; ///< "0.2347"
};

/// How far a job is, as it was told last: status.progress.
struct progress_status {
  std::optional<std::int32_t> percent; ///< 0 to 100.
  std::optional<std::int64_t> remaining_seconds;
  std::vector<progress_metric> metrics; ///< At most max_progress_metrics.
  k8s::time_point time{};               ///< When it was told.
  std::string source;                   ///< The pod that told it.
};

/// Equal in everything that is written, the time to the second.
bool operator==(const progress_status& a, const progress_status& b);
inline bool operator!=(const progress_status& a, const progress_status& b) {
  return !(a == b);
}

/// "45%, step 4100/9000"; "" if nothing was told.
std::string describe_progress(const progress_status& p);

/// status.progress, null if nothing was told.
nlohmann::json to_progress_json(const progress_status& p);
/// Total: what is not understood, or beyond a limit, is left out.
progress_status read_progress_json(const nlohmann::json& j);

} // namespace troupe::core
