#include "tests/simulation/queue/queued_types_cluster.hpp"

#include <algorithm>

namespace troupe::simulation {

json queued_types_cluster::random_job_spec() {
  auto spec = rules_.random_manifest(random());
  spec["runPolicy"].erase("activeDeadlineSeconds");
  spec["runPolicy"].erase("managedBy");
  if (chance(20))
    spec["runPolicy"]["failurePolicy"] = {{"restartScope", "Job"},
                                          {"maxRestarts", 2}};
  for (auto& type : spec[rules_.types_field()])
    if (number(at(type, "replicas"), 1) < 0)
      type["replicas"] = 1;
  return spec;
}

int queued_types_cluster::random_replica_count(const std::string& type) {
  return std::max(rules_.random_replica_count(type, random()), 1);
}

} // namespace troupe::simulation
