#pragma once

#include "actors/admin/job_table.hpp"
#include "frameworks/registry.hpp"

namespace troupe::fixtures {

/// The row of a TFJob.
inline actors::job_row row_of(const char* name, int running = 0,
                              const char* uid = nullptr) {
  actors::job_row row;
  row.job = std::make_shared<actors::job_reference>(actors::job_reference{
      frameworks::find("TFJob"), "ns", name, uid ? uid : name});
  row.state = running > 0 ? "Running" : "Created";
  row.running = running;
  row.replicas = 2;
  return row;
}

inline std::vector<std::string> names_in(const actors::job_changes& changes) {
  std::vector<std::string> names;
  for (const auto& r : changes.rows)
    names.push_back(r.job->name + ":" + std::to_string(r.running));
  return names;
}

} // namespace troupe::fixtures
