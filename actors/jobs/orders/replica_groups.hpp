#pragma once

#include "actors/jobs/orders/replica_group.hpp"

#include <map>

namespace troupe::actors {

/// The replica groups of a supervisor. Each is started with its first order and
/// linked to the supervisor: if a group fails, so does the supervisor, and its
/// successor reads everything again. So the result of every order is known or
/// read again.
class replica_groups {
public:
  using supervisor = job_supervisor_actor::pointer;

  explicit replica_groups(supervisor self)
      : self_(self) {}

  void execute(const group_id& which, execute_orders batch,
               const context_ptr& context);
  /// Drops the creations that no group has sent.
  void cancel_pending_creations();
  /// The group of the auxiliary objects seldom has orders, and takes memory.
  bool has_auxiliary_group() const { return all_.count({true, ""}) > 0; }
  void end_auxiliary_group();

  const std::map<group_id, replica_group_actor>& all() const { return all_; }

private:
  supervisor self_;
  std::map<group_id, replica_group_actor> all_;
};

} // namespace troupe::actors
