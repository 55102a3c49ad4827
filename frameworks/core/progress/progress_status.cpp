#include "frameworks/core/progress/progress_status.hpp"

#include "frameworks/core/base/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

constexpr std::size_t longest_source = 253; ///< Of a pod's name.

auto whole_seconds(k8s::time_point t) {
  return std::chrono::floor<std::chrono::seconds>(t);
}

json metrics_json(const std::vector<progress_metric>& all) {
  auto list = json::array();
  for (const auto& one : all)
    list.push_back({{"name", one.name}, {"value", one.value}});
  return list;
}

} // namespace

bool operator==(const progress_status& a, const progress_status& b) {
  auto same = [](const progress_metric& x, const progress_metric& y) {
    return x.name == y.name && x.value == y.value;
  };
  return a.percent == b.percent && a.remaining_seconds == b.remaining_seconds
         && whole_seconds(a.time) == whole_seconds(b.time)
         && a.source == b.source
         && std::equal(a.metrics.begin(), a.metrics.end(), b.metrics.begin(),
                       b.metrics.end(), same);
}

std::string describe_progress(const progress_status& p) {
  auto metric = [&](std::string_view name) {
    auto i = std::find_if(p.metrics.begin(), p.metrics.end(),
                          [&](const auto& m) { return m.name == name; });
    return i == p.metrics.end() ? std::string{} : i->value;
  };
  if (p == progress_status{})
    return {};
  auto text = p.percent ? std::to_string(*p.percent) + "%" : "";
  if (auto step = metric("step"); !step.empty()) {
    auto total = metric("total");
    text += (text.empty() ? "step " : ", step ") + step
            + (total.empty() ? "" : "/" + total);
  }
  if (text.empty() && !p.metrics.empty())
    text = p.metrics.front().name + " " + p.metrics.front().value;
  return text.empty() ? "a report" : text;
}

json to_progress_json(const progress_status& p) {
  if (p == progress_status{})
    return nullptr;
  json out{{"time", k8s::to_rfc3339(p.time)}};
  if (p.percent)
    out["percent"] = *p.percent;
  if (p.remaining_seconds)
    out["estimatedRemainingSeconds"] = *p.remaining_seconds;
  if (!p.metrics.empty())
    out["metrics"] = metrics_json(p.metrics);
  if (!p.source.empty())
    out["source"] = p.source;
  return out;
}

progress_status read_progress_json(const json& j) {
  progress_status p;
  auto time = k8s::from_rfc3339(text_at(j, {"time"}));
  if (!time)
    return p;
  p.time = *time;
  if (auto percent = int32_at(j, {"percent"});
      percent && *percent >= 0 && *percent <= 100)
    p.percent = percent;
  if (auto left = int64_at(j, {"estimatedRemainingSeconds"});
      left && *left >= 0)
    p.remaining_seconds = left;
  for (const auto& one : array_at(j, {"metrics"}))
    if (p.metrics.size() < max_progress_metrics)
      p.metrics.push_back(
          {k8s::utf8_prefix(text_at(one, {"name"}), max_metric_name_bytes),
           k8s::utf8_prefix(text_at(one, {"value"}), max_metric_value_bytes)});
  p.source = k8s::utf8_prefix(text_at(j, {"source"}), longest_source);
  return p;
}

} // namespace troupe::core
