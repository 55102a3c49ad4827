#include "frameworks/registry.hpp"

namespace troupe::frameworks {

const std::vector<core::framework>& all() {
  static const std::vector<core::framework> rows = {
      tensorflow(), pytorch(), xgboost(), paddle(),      mpi(),
      jax(),        mxnet(),   dijob(),   dijob_tasks(), mpi_over_ssh(),
  };
  return rows;
}

const core::framework* find(const std::string& kind) {
  for (const auto& f : all())
    if (f.names.type.kind == kind)
      return &f;
  return nullptr;
}

const core::framework* find(const std::string& api_version,
                            const std::string& kind) {
  for (const auto& f : all())
    if (f.names.type.kind == kind && f.names.type.api_version() == api_version)
      return &f;
  return nullptr;
}

const core::framework& row_of_birth(const core::framework& f,
                                    std::string_view created_as) {
  if (core::is_job_of(f, created_as))
    return f;
  for (const auto& other : all())
    if (other.names.type.kind == f.names.type.kind
        && other.names.type.group == f.names.type.group
        && other.names.born_as == created_as)
      return other;
  return f; // No definition of ours lets such a value through.
}

} // namespace troupe::frameworks
