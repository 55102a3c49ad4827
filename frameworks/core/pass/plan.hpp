#pragma once

#include "frameworks/core/model/decision.hpp"
#include "frameworks/core/model/expectations.hpp"
#include "frameworks/core/model/job.hpp"
#include "frameworks/core/model/status.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::core {

struct plan_result {
  std::vector<decision> decisions; ///< In a fixed order.
  job_status status;               ///< What the status should be.
  /// To be emitted after `status` is saved (or now, if it already is).
  std::vector<job_event> events;
  /// `status` need not be saved before the creations in flight have ended: they
  /// add to it.
  bool status_awaits_creations = false;
  /// What stays wrong with the job: to be told once, when it is new.
  std::optional<job_event> standing_warning;
  std::optional<time_point> requeue_at; ///< Reconcile again at this time.
  /// Since when the job tells nothing: the next pass is to know it, as part of
  /// what was observed.
  shared_value<silence_clock> silence;
  std::string summary; ///< A one-sentence summary of the job's state.
  /// What the pods are to learn of the job, if that is less than it asks for;
  /// null: as it is.
  job_ptr as_granted = nullptr;
};

/// Whether runPolicy.managedBy names another controller, which runs the job.
bool is_managed_externally(const job& j);

/// Decides what should be done for `j` now. Pure: equal arguments give equal
/// results. `status` is the desired status as decided so far (by earlier
/// reconciles), `saved` the latest status known to be on the API server. An
/// action that cannot be undone is decided only after its reason has been
/// saved. Correct even if watch events were lost, repeated or reordered, and if
/// the operator was restarted at any point.
plan_result plan(const job& j, const observed_children& seen,
                 const expectations& open, const job_status& status,
                 const job_status& saved, time_point now,
                 const cluster_options& cluster = {});

} // namespace troupe::core
