#include "actors/jobs/report/report_times.hpp"

#include <nlohmann/json.hpp>

namespace troupe::actors {

void add_time_if_known(nlohmann::json& to, const char* key,
                       std::optional<k8s::time_point> t) {
  if (t && *t != k8s::time_point{})
    to[key] = k8s::to_rfc3339(*t);
}

} // namespace troupe::actors
