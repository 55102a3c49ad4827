#include "frameworks/core/progress/log_progress.hpp"

#include "k8s/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace troupe::core {

namespace {

/// As many steps are tried for a byte in the same time as none.
constexpr std::size_t steps_of_simple_rules = 100;

/// Of "1,234.5" or "1_234"; nullopt if the text is no number that is not
/// negative.
std::optional<double> read_number(std::string_view text) {
  std::string digits;
  for (char c : text)
    if (c != ',' && c != '_')
      digits += c;
  char* end = nullptr;
  double value = std::strtod(digits.c_str(), &end);
  bool is_whole = !digits.empty() && end == digits.c_str() + digits.size();
  return is_whole && std::isfinite(value) && value >= 0 ? std::optional{value}
                                                        : std::nullopt;
}

std::int32_t to_percent(double value) {
  return static_cast<std::int32_t>(std::clamp(std::floor(value), 0.0, 100.0));
}

} // namespace

log_progress::log_progress(std::shared_ptr<const log_policy> policy) {
  std::size_t steps = 0;
  for (const auto& rule : policy->rules) {
    rules_.push_back({rule.pattern, k8s::group_names(*rule.pattern)});
    steps += k8s::step_count(*rule.pattern);
  }
  cost_of_byte_ += steps / steps_of_simple_rules;
}

bool log_progress::read_line(std::string_view line) {
  bool matches = false;
  for (const auto& rule : rules_)
    matches |= read_by_rule(rule, line);
  has_news_ |= matches;
  return matches;
}

bool log_progress::read_by_rule(const known_rule& rule, std::string_view line) {
  auto found = k8s::find_groups(*rule.pattern, line);
  if (!found)
    return false;
  const auto step = step_;
  const auto total = total_;
  auto is_there = [&](const char* group) {
    auto i = std::find(rule.groups.begin(), rule.groups.end(), group);
    return i != rule.groups.end()
           && !(*found)[static_cast<std::size_t>(i - rule.groups.begin())]
                   .empty();
  };
  for (std::size_t i = 0; i < rule.groups.size(); ++i)
    if (!rule.groups[i].empty() && !(*found)[i].empty())
      note(rule.groups[i], (*found)[i]);
  if (!is_there("percent") && (step_ != step || total_ != total))
    compute_percent();
  return true;
}

void log_progress::note(const std::string& group, std::string_view text) {
  auto number = read_number(text);
  if (group == "percent") {
    if (number)
      told_.percent = to_percent(*number);
    return;
  }
  if (group == "step" && number)
    step_ = number;
  if (group == "total" && number)
    total_ = number;
  note_metric(group, text);
}

void log_progress::note_metric(const std::string& name, std::string_view text) {
  if (text.size() > max_metric_value_bytes
      || name.size() > max_metric_name_bytes)
    return;
  auto& all = told_.metrics;
  auto known = std::find_if(all.begin(), all.end(), [&](const auto& metric) {
    return metric.name == name;
  });
  if (known != all.end())
    known->value = text;
  else if (all.size() < max_progress_metrics)
    all.push_back({name, std::string{text}});
}

void log_progress::compute_percent() {
  if (step_ && total_ && *total_ > 0)
    told_.percent = to_percent(*step_ * 100 / *total_);
}

std::optional<progress_status> log_progress::take() {
  if (!has_news_)
    return std::nullopt;
  has_news_ = false;
  return told_;
}

} // namespace troupe::core
