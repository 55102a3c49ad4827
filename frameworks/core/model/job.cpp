#include "frameworks/core/model/job.hpp"

#include <algorithm>
#include <limits>

namespace troupe::core {

restart_policy parse_restart_policy_or_other(const std::string& text) {
  if (text == "Never")
    return restart_policy::never;
  if (text == "OnFailure")
    return restart_policy::on_failure;
  if (text == "Always")
    return restart_policy::always;
  if (text == "ExitCode")
    return restart_policy::exit_code;
  return restart_policy::other;
}

std::int32_t replica_spec::port(const std::string& name,
                                std::int32_t otherwise) const {
  for (const auto& p : ports)
    if (p.name == name)
      return p.port;
  return otherwise;
}

const replica_spec* job::find_replica_spec(const std::string& label) const {
  for (const auto& r : replicas)
    if (r.label == label)
      return &r;
  return nullptr;
}

bool job::has_replicas_of(const std::string& label) const {
  const auto* type = find_replica_spec(label);
  return type && type->replicas > 0;
}

std::int32_t job::total_replicas() const {
  std::int64_t sum = 0;
  for (const auto& r : replicas)
    sum += std::max(r.replicas, 0);
  return static_cast<std::int32_t>(
      std::min<std::int64_t>(sum, std::numeric_limits<std::int32_t>::max()));
}

const sub_group_policy* volcano_policy::find(const std::string& label) const {
  for (const auto& p : sub_groups)
    if (p.type == label)
      return &p;
  return nullptr;
}

const failure_policy& job::failure_policy_or_default() const {
  static const failure_policy none;
  return policy.failure ? *policy.failure : none;
}

} // namespace troupe::core
