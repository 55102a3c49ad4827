#pragma once

#include "actors/admin/job_table.hpp"
#include "actors/base/protocols.hpp"
#include "frameworks/core/base/uid_key.hpp"

#include <unordered_map>

namespace troupe::actors {

/// Keeps the row of each job for the admin endpoint, so that a list of jobs
/// asks no supervisor. A row is removed when the supervisor that sent it ends.
class job_list_state {
public:
  static inline const char* name = "job-list";

  explicit job_list_state(job_list_actor::pointer self)
      : self_(self) {}

  void on_job_row(const job_row& row);
  void on_supervisor_ended(const caf::actor_addr& who);
  job_changes_ptr changes_since(std::uint64_t revision) const;

private:
  job_list_actor::pointer self_;
  job_table table_;
  /// By supervisor.
  std::unordered_map<caf::actor_id, std::shared_ptr<const job_reference>> jobs_;
  /// The latest supervisor of each job: a failed one may be replaced before its
  /// end is known.
  std::unordered_map<core::uid_key, caf::actor_id, core::uid_key::hash> latest_;
};

job_list_actor::behavior_type
job_list(job_list_actor::stateful_pointer<job_list_state> self);

} // namespace troupe::actors
