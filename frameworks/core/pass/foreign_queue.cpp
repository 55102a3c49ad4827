#include "frameworks/core/pass/foreign_queue.hpp"

#include "frameworks/core/pass/queueing.hpp"

namespace troupe::core {

std::string describe_foreign_queue(const job& j,
                                   const cluster_options& cluster) {
  const auto& q = cluster.queueing;
  if (j.queue.empty() || !is_queueable(*j.kind))
    return "";
  auto begin = "; queue " + j.queue + ": ";
  if (q.on && q.left_to_kueue.count(name_in_queueing(*j.kind)) > 0)
    return begin + "Kueue's own integration of the kind looks after it";
  return q.on || q.holds || q.why_off.empty() ? "" : begin + q.why_off;
}

} // namespace troupe::core
