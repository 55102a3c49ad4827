#include "tests/simulation/simulated_kinds.hpp"

#include "frameworks/registry.hpp"
#include "tests/simulation/di/coordinator_cluster.hpp"
#include "tests/simulation/di/tasks_cluster.hpp"
#include "tests/simulation/mpi_ssh/launcher_job_cluster.hpp"
#include "tests/simulation/queue/queued_launcher_cluster.hpp"
#include "tests/simulation/queue/queued_types_cluster.hpp"
#include "tests/simulation/replica_types/replica_type_cluster.hpp"

#include <optional>
#include <stdexcept>

namespace troupe::simulation {

namespace {

template <class Cluster>
std::unique_ptr<simulated_cluster>
make(std::uint64_t seed, const core::framework& row,
     std::shared_ptr<simulated_api_server> api) {
  return std::make_unique<Cluster>(seed, row, std::move(api));
}

/// Rows whose jobs are no maps of replica types, by kind_names::short_name.
const struct {
  const char* row;
  const char* name;
  decltype(simulated_kind::make_cluster) make_cluster;
  int steps;
} other_rows[] = {{"di", "DIJob", make<coordinator_cluster>, 600},
                  {"di-tasks", "DIJob-tasks", make<tasks_cluster>, 400}};

simulated_kind kind_of(const core::framework& row) {
  if (*row.names.type_made_by_job != '\0')
    return {"MPIJob-ssh", &row, make<launcher_job_cluster>};
  if (*row.names.spec_field != '\0')
    return {row.names.type.kind, &row, make<replica_type_cluster>};
  for (const auto& other : other_rows)
    if (row.names.short_name == std::string{other.row})
      return {other.name, &row, other.make_cluster, other.steps};
  throw std::logic_error("nobody has said how to simulate jobs of the row "
                         + std::string{row.names.short_name});
}

/// Those that have a queue, in one.
std::optional<simulated_kind> queued_kind_of(const core::framework& row) {
  if (*row.names.type_made_by_job != '\0')
    return simulated_kind{"MPIJob-ssh-queued", &row,
                          make<queued_launcher_cluster>, 400, 10};
  if (*row.names.spec_field != '\0')
    return simulated_kind{row.names.type.kind + "-queued", &row,
                          make<queued_types_cluster>, 300, 10};
  return std::nullopt;
}

} // namespace

const std::vector<simulated_kind>& simulated_kinds() {
  static const auto all = [] {
    std::vector<simulated_kind> result;
    for (const auto& row : frameworks::all())
      result.push_back(kind_of(row));
    for (const auto& row : frameworks::all())
      if (auto queued = queued_kind_of(row))
        result.push_back(*queued);
    return result;
  }();
  return all;
}

} // namespace troupe::simulation
