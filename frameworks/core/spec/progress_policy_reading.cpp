#include "frameworks/core/spec/progress_policy_reading.hpp"

#include "frameworks/core/base/json.hpp"

namespace troupe::core {

progress_policy read_progress_policy(const json& value, const field_path& at,
                                     field_errors& errors) {
  checked_object fields{value, at, errors, {"report"}};
  progress_policy out;
  out.report = fields.boolean("report").value_or(false);
  return out;
}

} // namespace troupe::core
