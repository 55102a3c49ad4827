#pragma once

#include "k8s/request_counts.hpp"

#include <prometheus/metric_family.h>

#include <vector>

namespace troupe::actors {

// Values that are counted elsewhere and read at each scrape.

/// process_*: the kernel's values for this process, with the names of
/// Prometheus' own clients. A value that cannot be read is left out.
std::vector<prometheus::MetricFamily> process_metric_families();

/// rest_client_requests_total{code, host, method}, as client-go has it.
prometheus::MetricFamily
request_count_family(const k8s::request_counts& answers);

} // namespace troupe::actors
