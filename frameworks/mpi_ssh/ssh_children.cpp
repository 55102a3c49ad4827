#include "frameworks/mpi_ssh/ssh_children.hpp"

namespace troupe::frameworks::mpi_ssh {

using namespace core;

const child_view* own_launcher_job(const observed_children& seen) {
  for (const auto& v : seen.children_of_kind(child_kind::launcher_job))
    if (v.owned && v.batch_job)
      return &v;
  return nullptr;
}

bool is_launcher_pod(const child_view& pod, const observed_children& seen) {
  const auto* launcher = own_launcher_job(seen);
  return launcher && pod.made_by_job == launcher->uid;
}

} // namespace troupe::frameworks::mpi_ssh
