#pragma once

#include "tests/simulation/queue/queue_cluster.hpp"
#include "tests/simulation/replica_types/kind_rules.hpp"

#include <memory>
#include <string>

namespace troupe::simulation {

/// A job in a queue that is a map of replica types.
class queued_types_cluster : public queue_cluster {
public:
  queued_types_cluster(std::uint64_t seed, const core::framework& row,
                       std::shared_ptr<simulated_api_server> api)
      : queue_cluster(seed, row, std::move(api))
      , rules_(row, core::gang::none) {}

private:
  json random_job_spec() override;
  int random_replica_count(const std::string& type) override;

  kind_rules rules_;
};

} // namespace troupe::simulation
