#include "frameworks/core/suspension.hpp"

#include "frameworks/core/auxiliary_objects.hpp"
#include "frameworks/core/cleanup.hpp"

namespace troupe::core {

void suspend_job(reconcile_context& p, const observed_children& seen) {
  remove_all(p, seen, "the job is suspended");
  delete_auxiliary_for_suspend(p, seen);
  for (auto& [type, counts] : p.status().replicas) {
    auto selector = std::move(counts.selector);
    counts = {};
    counts.selector = std::move(selector);
  }
  auto message = fill_template("{kind} {name} is suspended.", p.j);
  if (p.status().is_true(condition_type::running))
    p.set_condition(condition_type::running, false, "Suspended", message);
  if (!p.status().is_true(condition_type::suspended)) {
    p.set_condition(condition_type::suspended, true, "Suspended", message);
    p.add_event(false, "Suspended", message);
  }
}

void resume_job(reconcile_context& p) {
  if (!p.status().is_true(condition_type::suspended))
    return;
  auto message = fill_template("{kind} {name} is resumed.", p.j);
  p.set_condition(condition_type::suspended, false, "Resumed", message);
  p.status().started = truncate_to_seconds(p.now);
  p.add_event(false, "Resumed", message);
}

} // namespace troupe::core
