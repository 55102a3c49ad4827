#include "frameworks/core/spec/progress_report.hpp"

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/spec/checked_fields.hpp"
#include "k8s/json_outline.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

/// A value takes a hundred bytes.
constexpr std::size_t most_values = 2'000;

/// Reads one report, and notes what is wrong with it.
class report_reader {
public:
  progress_report read(std::string_view body) {
    const auto root = field_path::of_field("body");
    if (body.size() > max_report_bytes
        || k8s::estimate_json_value_count(body) > most_values)
      errors_.add(root, "Too long: has " + std::to_string(body.size())
                            + " bytes or too many values; the limits are "
                            + std::to_string(max_report_bytes) + " bytes and "
                            + std::to_string(max_reported_metrics)
                            + " metrics");
    else if (auto why = k8s::find_json_error(body); !why.empty())
      errors_.add(root, "Invalid value: not JSON: " + why);
    else
      read_body(parse_json_or_null(body));
    return {std::move(progress_), errors_.take()};
  }

private:
  void read_body(const json& body) {
    const auto at = field_path::of_field("trainerStatus");
    const auto& status = value_at(body, {"trainerStatus"});
    if (status.is_null())
      return errors_.add(
          at, "Required value: must be an object, such as {\"trainerStatus\": "
              "{\"progressPercentage\": 45}}");
    if (!status.is_object())
      return errors_.add(at, "Invalid value: " + value_for_error(status)
                                 + ": must be an object");
    if (auto n = number(status, at, "progressPercentage", 100))
      progress_.percent = static_cast<std::int32_t>(*n);
    progress_.remaining_seconds =
        number(status, at, "estimatedRemainingSeconds", max_remaining_seconds);
    read_metrics(value_at(status, {"metrics"}), at.child("metrics"));
    check_time(value_at(status, {"lastUpdatedTime"}),
               at.child("lastUpdatedTime"));
  }

  std::optional<std::int64_t> number(const json& in, const field_path& at,
                                     const char* field, std::int64_t most) {
    const auto& value = value_at(in, {field});
    if (value.is_null())
      return std::nullopt;
    auto n = int64_at(value, {});
    if (n && *n >= 0 && *n <= most)
      return n;
    errors_.add(at.child(field), "Invalid value: " + value_for_error(value)
                                     + ": must be a whole number from 0 to "
                                     + std::to_string(most));
    return std::nullopt;
  }

  void read_metrics(const json& list, const field_path& at) {
    if (list.is_null())
      return;
    if (!list.is_array())
      return errors_.add(at, "Invalid value: " + value_for_error(list)
                                 + ": must be a list");
    if (list.size() > max_reported_metrics)
      return errors_.add(at, "Too many: " + std::to_string(list.size())
                                 + ": must have at most "
                                 + std::to_string(max_reported_metrics)
                                 + " items");
    for (std::size_t i = 0; i < list.size(); ++i) {
      progress_metric one{
          text(list[i], at.item(i), "name", max_metric_name_bytes),
          text(list[i], at.item(i), "value", max_metric_value_bytes)};
      if (progress_.metrics.size() < max_progress_metrics)
        progress_.metrics.push_back(std::move(one));
    }
  }

  std::string text(const json& in, const field_path& at, const char* field,
                   std::size_t most) {
    const auto& value = value_at(in, {field});
    if (value.is_null())
      errors_.add(at.child(field), "Required value");
    else if (!value.is_string())
      errors_.add(at.child(field), "Invalid value: " + value_for_error(value)
                                       + ": must be a text, in quotes");
    else if (const auto& s = value.get_ref<const std::string&>();
             s.empty() || s.size() > most)
      errors_.add(at.child(field), "Invalid value: " + value_for_error(value)
                                       + ": must have 1 to "
                                       + std::to_string(most) + " bytes");
    else if (std::any_of(s.begin(), s.end(), is_control_character))
      errors_.add(at.child(field),
                  "Invalid value: must not have control characters");
    else
      return s;
    return {};
  }

  static bool is_control_character(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  }

  /// Clocks of pods differ: when the report came is what counts.
  void check_time(const json& time, const field_path& at) {
    if (time.is_null())
      return;
    if (!time.is_string()
        || !k8s::from_rfc3339(time.get_ref<const std::string&>()))
      errors_.add(at, "Invalid value: " + value_for_error(time)
                          + ": must be a time such as 2025-01-23T10:30:45Z");
  }

  field_errors errors_;
  progress_status progress_;
};

} // namespace

progress_report read_progress_report(std::string_view body) {
  return report_reader{}.read(body);
}

std::string taken_report_json(const progress_status& taken) {
  json status{{"lastUpdatedTime", k8s::to_rfc3339(taken.time)}};
  if (taken.percent)
    status["progressPercentage"] = *taken.percent;
  if (taken.remaining_seconds)
    status["estimatedRemainingSeconds"] = *taken.remaining_seconds;
  for (const auto& one : taken.metrics)
    status["metrics"].push_back({{"name", one.name}, {"value", one.value}});
  return to_text({{"trainerStatus", std::move(status)}});
}

} // namespace troupe::core
