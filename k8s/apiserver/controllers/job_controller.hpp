#pragma once

#include "k8s/apiserver/state/server_state.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace troupe::k8s::apiserver {

/// Runs batch/v1 Jobs: makes their pods, and writes their status. Everything
/// that it knows it finds in the objects, so it goes on where an earlier
/// program ended. plan_job decides; this carries it out.
///
/// Work is done in short turns, between which the server answers requests.
/// Namespaces take turns, each makes pods at a limited rate, and each Job's
/// events have a limit.
class job_controller {
public:
  virtual ~job_controller() = default;

  /// To be called after each change of the store.
  virtual void observe_change(const change& c) = 0;
  /// Takes a turn; returns when to take the next one, if there is anything to
  /// do later. Whether or not, a change may make an earlier one necessary.
  virtual std::optional<time_point> take_turn() = 0;
  /// Called, from inside of changes, when there is something to do at once.
  std::function<void()> on_work;
};

/// The state has to outlive it.
std::unique_ptr<job_controller> make_job_controller(server_state& state);

} // namespace troupe::k8s::apiserver
