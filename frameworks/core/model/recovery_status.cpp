#include "frameworks/core/model/recovery_status.hpp"

#include <tuple>

namespace troupe::core {

namespace {

auto deciding_fields(const last_restart& r) {
  return std::tie(r.time, r.reason, r.pod, r.node, r.type, r.early_ends);
}

} // namespace

const index_ranges&
recovery_status::completed_of(const std::string& type) const {
  static const index_ranges none;
  auto i = completed.find(type);
  return i == completed.end() ? none : i->second;
}

bool same_attempts(const recovery_status& a, const recovery_status& b) {
  return a.attempt == b.attempt && a.type_attempts == b.type_attempts
         && deciding_fields(a.last) == deciding_fields(b.last)
         && a.counted == b.counted && a.counted_times == b.counted_times;
}

bool same_progress(const recovery_status& a, const recovery_status& b) {
  return a.completed == b.completed && a.last.recovered == b.last.recovered;
}

} // namespace troupe::core
