#include "frameworks/core/model/recovery_json.hpp"

#include "frameworks/core/model/status_format.hpp"
#include "frameworks/core/model/status_parts.hpp"
#include "k8s/text.hpp"

#include <algorithm>
#include <initializer_list>

namespace troupe::core {

namespace {

constexpr const char* types_field = "replicaStatuses";
constexpr const char* attempt_field = "restartAttempt";
constexpr const char* completed_field = "completedIndexes";
/// No more can be read back.
constexpr std::ptrdiff_t most_written_ranges = 10'000;

std::string bounded_restart_text(const std::string& text) {
  return k8s::utf8_prefix(text, max_last_restart_text_bytes);
}

void set_unless_empty(json& out, const char* field, const std::string& text) {
  if (!text.empty())
    out[field] = bounded_restart_text(text);
}

json last_restart_json(const recovery_status& r) {
  json out{{"attempt", r.attempt}, {"time", k8s::to_rfc3339(r.last.time)}};
  set_unless_empty(out, "reason", r.last.reason);
  set_unless_empty(out, "pod", r.last.pod);
  set_unless_empty(out, "node", r.last.node);
  set_unless_empty(out, "type", r.last.type);
  if (r.last.early_ends > 0)
    out["earlyEnds"] = r.last.early_ends;
  if (r.last.recovered)
    out["recoveryTime"] = k8s::to_rfc3339(*r.last.recovered);
  return out;
}

/// A number of attempts or restarts.
std::int32_t read_count(const json& j, const char* field) {
  auto number = int64_at(j, {field}).value_or(0);
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(number, 0, max_restart_attempt));
}

last_restart read_last_restart(const json& j) {
  last_restart r;
  r.time = read_time(value_at(j, {"time"})).value_or(time_point{});
  r.reason = bounded_restart_text(text_at(j, {"reason"}));
  r.pod = bounded_restart_text(text_at(j, {"pod"}));
  r.node = bounded_restart_text(text_at(j, {"node"}));
  r.type = bounded_restart_text(text_at(j, {"type"}));
  r.early_ends = read_count(j, "earlyEnds");
  r.recovered = read_time(value_at(j, {"recoveryTime"}));
  return r;
}

std::string index_text_up_to(std::size_t most_bytes, const index_ranges& all) {
  auto text = all.text();
  if (text.size() > most_bytes) {
    auto end = text.rfind(',', most_bytes);
    text.resize(end == std::string::npos ? 0 : end);
  }
  for (std::size_t i = 0, ranges = 1; i < text.size(); ++i)
    if (text[i] == ',' && ++ranges > most_written_ranges)
      text.resize(i);
  return text;
}

index_ranges read_indices(const json& j) {
  const auto& text = text_at(j, {completed_field});
  if (text.size() > max_index_text_bytes)
    return {};
  return index_ranges::parse(text).value_or(index_ranges{});
}

void read_types(recovery_status& r, const json& map) {
  if (!map.is_object())
    return;
  std::size_t seen = 0;
  for (const auto& [type, j] : map.items()) {
    if (++seen > max_status_types)
      return;
    if (int64_at(j, {attempt_field}))
      if (auto attempt = read_count(j, attempt_field); attempt < r.attempt)
        r.type_attempts.emplace(type, attempt);
    if (auto done = read_indices(j); !done.is_empty())
      r.completed.emplace(type, std::move(done));
  }
}

} // namespace

void add_attempts_json(json& status, const recovery_status& r) {
  if (r.attempt > 0) {
    status[attempt_field] = r.attempt;
    status["lastRestart"] = last_restart_json(r);
  }
  if (r.counted > 0)
    status["countedRestarts"] = r.counted;
  for (const auto& time : r.counted_times)
    if (auto& all = ensure_array(status, "restartTimes");
        all.size() < max_restart_times)
      all.push_back(k8s::to_rfc3339(time));
  for (const auto& [type, attempt] : r.type_attempts)
    if (attempt != r.attempt)
      status[types_field][type][attempt_field] = attempt;
}

void add_completed_json(json& status, const recovery_status& r) {
  auto left = max_index_text_bytes;
  for (const auto& [type, done] : r.completed) {
    auto text = index_text_up_to(left, done);
    left -= text.size();
    if (!text.empty())
      status[types_field][type][completed_field] = std::move(text);
  }
}

void keep_writable_completed(recovery_status& r) {
  auto left = max_index_text_bytes;
  for (auto& [type, done] : r.completed) {
    auto text = index_text_up_to(left, done);
    left -= text.size();
    if (text.size() < done.text().size())
      done = index_ranges::parse(text).value_or(index_ranges{});
  }
}

recovery_status read_recovery_json(const json& status) {
  recovery_status r;
  r.attempt = read_count(status, attempt_field);
  if (r.attempt > 0)
    r.last = read_last_restart(value_at(status, {"lastRestart"}));
  r.counted = read_count(status, "countedRestarts");
  for (const auto& j : array_at(status, {"restartTimes"}))
    if (auto time = read_time(j);
        time && r.counted_times.size() < max_restart_times)
      r.counted_times.push_back(*time);
  read_types(r, value_at(status, {types_field}));
  return r;
}

} // namespace troupe::core
