#include "frameworks/di/coordinator/dijob_status.hpp"

#include "frameworks/core/model/status_parts.hpp"
#include "frameworks/di/base/dijob_pods.hpp"

namespace troupe::frameworks::di {

using namespace core;

namespace {

constexpr const char* counted_types[] = {"Aggregator", "Collector",
                                         "Coordinator", "Learner"};

std::string encode_di_status(const job_status& s) {
  auto out = json::object();
  if (!s.phase.empty())
    out["phase"] = s.phase;
  if (!s.conditions.empty())
    out["conditions"] = conditions_json(s.conditions);
  auto& counts = out["replicaStatus"] = json::object();
  for (const auto* type : counted_types) {
    auto i = s.replicas.find(type);
    counts[type] = replica_status_json_without_zeros(
        i == s.replicas.end() ? replica_status{} : i->second);
  }
  return to_text(out);
}

job_status decode_di_status(std::string_view text) {
  job_status s;
  const auto j = parse_json_or_null(text);
  s.phase = text_at(j, {"phase"});
  s.conditions = read_conditions_up_to_limit(array_at(j, {"conditions"}));
  auto counts =
      read_replica_statuses_up_to_limit(value_at(j, {"replicaStatus"}));
  for (const auto* type : counted_types)
    s.replicas[type] = counts[type];
  return s;
}

} // namespace

core::status_format status_format() {
  return {encode_di_status, decode_di_status};
}

} // namespace troupe::frameworks::di
