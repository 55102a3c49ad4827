#pragma once

#include "frameworks/di/requests/replica_change.hpp"
#include "frameworks/di/requests/replica_request.hpp"
#include "k8s/json.hpp"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe::frameworks::di {

/// What was read for a request.
struct request_material {
  std::string aggregator_config;         ///< JSON text.
  std::int64_t gpus_per_node = 0;        ///< 0: unknown.
  std::map<std::string, k8s::json> pods; ///< By name, as they are now.
};

/// What a request changes: the collectors first, then the learners.
struct requested_changes {
  std::vector<change_stages> collectors;
  std::vector<change_stages> learners;
  /// The response after the collectors are changed, if no learner can be.
  std::optional<core::job_response> learners_error = {};
};

/// What must be read before; the answers become the material.
struct required_reads {
  bool aggregator_config = false;
  bool nodes = false;
  std::vector<std::string> pods; ///< Names.
};
required_reads required_reads_for(const replica_request& q,
                                  const core::request_inputs& in);

std::variant<requested_changes, core::job_response>
requested_changes_for(const replica_request& q,
                      const request_material& material,
                      const core::request_inputs& in);

} // namespace troupe::frameworks::di
