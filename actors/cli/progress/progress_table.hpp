#pragma once

#include "actors/cli/progress/progress.hpp"
#include "k8s/usage_source.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace troupe::cli {

/// One line of a table on a terminal.
struct table_line {
  std::string text;
  bool is_failure = false; ///< Of a replica that has failed.

  bool operator==(const table_line& other) const {
    return text == other.text && is_failure == other.is_failure;
  }
};

/// What pods use, by their names.
using usage_by_pod = std::map<std::string, k8s::resource_usage>;

/// Reads a PodMetricsList of metrics.k8s.io: the sums of the containers.
usage_by_pod read_pod_usage(const nlohmann::json& list);

/// A job on a terminal: a head, with a bar of its replicas by what they do, and
/// a line for each replica, with what it uses as far as that is known. At most
/// `height` lines of at most `width` columns.
std::vector<table_line> make_job_table(const progress& seen,
                                       const usage_by_pod& used,
                                       k8s::time_point now, std::size_t width,
                                       std::size_t height);

} // namespace troupe::cli
