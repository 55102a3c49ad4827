#include "actors/admin/text/report_text.hpp"

#include "k8s/objects.hpp"
#include "k8s/text.hpp"

#include <cmath>

namespace troupe::actors {

using k8s::text_at;

std::optional<std::string>
human_duration_between(const nlohmann::json& from_report, k8s::key_path from,
                       const nlohmann::json& to_report, k8s::key_path to) {
  auto start = k8s::from_rfc3339(text_at(from_report, from));
  auto end = k8s::from_rfc3339(text_at(to_report, to));
  if (!start || !end)
    return std::nullopt;
  return k8s::human_duration(
      std::chrono::duration_cast<std::chrono::seconds>(*end - *start));
}

std::string human_duration_text(double seconds) {
  // Whatever a report says, the conversion below must be defined.
  auto whole = std::isfinite(seconds) ? std::fmin(std::fabs(seconds), 1e12) : 0;
  return k8s::human_duration(std::chrono::seconds{std::llround(whole)});
}

double seconds_at_or_zero(const nlohmann::json& j, const char* key) {
  const auto& v = k8s::value_at(j, {key});
  return v.is_number() ? v.get<double>() : 0;
}

std::string pluralize(std::int64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string once_or_n_times(std::int64_t n) {
  return n == 1 ? "once" : std::to_string(n) + " times";
}

} // namespace troupe::actors
