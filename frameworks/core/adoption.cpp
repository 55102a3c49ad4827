#include "frameworks/core/adoption.hpp"

namespace troupe::core {

void release_leavers(pass& p) {
  for (const auto& odd : p.around.leavers)
    p.release(odd.what, *odd.view, "its labels no longer name this job");
}

bool adopt_into(pass& p, child what, const place& empty) {
  const auto* orphan = empty.orphan(what);
  if (!orphan)
    return false;
  // One that is going keeps the name until it is gone: wait for it.
  p.adopt(what, *orphan, "it has our labels and no owner");
  return true;
}

} // namespace troupe::core
