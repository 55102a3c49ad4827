#pragma once

#include "frameworks/core/decision.hpp"
#include "frameworks/core/expectations.hpp"
#include "frameworks/core/job.hpp"
#include "frameworks/core/observed.hpp"
#include "frameworks/core/status.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

struct plan_result {
  std::vector<decision> decisions; ///< In a fixed order.
  job_status status;               ///< What the status should be.
  /// To be told once `status` is saved (or now, if it already is).
  std::vector<job_event> events;
  std::optional<time_point>
      requeue_at;      ///< Look again then, even if nothing happens.
  std::string verdict; ///< One sentence on where the job stands, for people.
};

/// Says what should be done for `j` now. Pure: equal arguments give equal
/// answers. `status` is the status as decided so far (by earlier passes),
/// `saved` what the API server is known to hold; whatever cannot be undone is
/// decided only after its reason has been saved. Correct even if news was lost,
/// repeated or reordered, and if the operator was restarted at any point.
plan_result plan(const job& j, const observed_children& seen,
                 const expectations& open, const job_status& status,
                 const job_status& saved, time_point now,
                 const cluster_options& cluster = {});

} // namespace troupe::core
