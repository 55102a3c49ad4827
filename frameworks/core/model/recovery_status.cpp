#include "frameworks/core/model/recovery_status.hpp"

#include "frameworks/core/model/status.hpp"

#include <algorithm>
#include <tuple>

namespace troupe::core {

namespace {

bool same_time(time_point a, time_point b) {
  return truncate_to_seconds(a) == truncate_to_seconds(b);
}

bool same_last(const last_restart& a, const last_restart& b) {
  return same_time(a.time, b.time)
         && std::tie(a.reason, a.pod, a.node, a.type, a.early_ends)
                == std::tie(b.reason, b.pod, b.node, b.type, b.early_ends);
}

bool same_recovery_time(const last_restart& a, const last_restart& b) {
  return a.recovered.has_value() == b.recovered.has_value()
         && (!a.recovered || same_time(*a.recovered, *b.recovered));
}

// What is empty or as usual is not written, so it is as good as absent.

bool has_attempts_of(const recovery_status& a, const recovery_status& b) {
  return std::all_of(
      b.type_attempts.begin(), b.type_attempts.end(),
      [&](const auto& one) { return a.attempt_of(one.first) == one.second; });
}

bool has_completed_of(const recovery_status& a, const recovery_status& b) {
  return std::all_of(
      b.completed.begin(), b.completed.end(),
      [&](const auto& one) { return a.completed_of(one.first) == one.second; });
}

} // namespace

const index_ranges&
recovery_status::completed_of(const std::string& type) const {
  static const index_ranges none;
  auto i = completed.find(type);
  return i == completed.end() ? none : i->second;
}

bool same_attempts(const recovery_status& a, const recovery_status& b) {
  return a.attempt == b.attempt && has_attempts_of(a, b)
         && has_attempts_of(b, a)
         && (a.attempt == 0 || same_last(a.last, b.last))
         && a.counted == b.counted
         && std::equal(a.counted_times.begin(), a.counted_times.end(),
                       b.counted_times.begin(), b.counted_times.end(),
                       same_time);
}

bool same_progress(const recovery_status& a, const recovery_status& b) {
  return has_completed_of(a, b) && has_completed_of(b, a)
         && (a.attempt == 0 || same_recovery_time(a.last, b.last));
}

} // namespace troupe::core
