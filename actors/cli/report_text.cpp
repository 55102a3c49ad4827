#include "actors/cli/report_text.hpp"

#include "actors/cli/views.hpp"

#include <cmath>

namespace troupe::cli {

using k8s::text_at;

std::optional<std::string> age_between(const nlohmann::json& from_report,
                                       k8s::key_path from,
                                       const nlohmann::json& to_report,
                                       k8s::key_path to) {
  auto start = k8s::from_rfc3339(text_at(from_report, from));
  auto end = k8s::from_rfc3339(text_at(to_report, to));
  if (!start || !end)
    return std::nullopt;
  return age(std::chrono::duration_cast<std::chrono::seconds>(*end - *start));
}

std::string age_of(double seconds) {
  // Whatever a report says, the conversion below must be defined.
  auto whole = std::isfinite(seconds) ? std::fmin(std::fabs(seconds), 1e12) : 0;
  return age(std::chrono::seconds{std::llround(whole)});
}

std::string counted(std::int64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string times(std::int64_t n) {
  return n == 1 ? "once" : std::to_string(n) + " times";
}

} // namespace troupe::cli
