#pragma once

#include <nlohmann/json_fwd.hpp>
#include <prometheus/metric_family.h>

#include <vector>

namespace troupe::actors {

/// Gauges from the root's reply to get_report: its own report, with those of
/// its actors. Null if the root has not replied.
std::vector<prometheus::MetricFamily>
actor_metric_families(const nlohmann::json& report);

} // namespace troupe::actors
