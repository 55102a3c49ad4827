#include "actors/admin/job_list.hpp"

namespace troupe::actors {

void job_list_state::on_job_row(const job_row& row) {
  const auto& sender = self_->current_sender();
  if (jobs_.try_emplace(sender->id(), row.job).second)
    self_->monitor(caf::actor_cast<caf::actor_addr>(sender));
  latest_[row.job->uid] = sender->id();
  table_.add_or_update_job(row);
}

void job_list_state::on_supervisor_ended(const caf::actor_addr& who) {
  auto known = jobs_.find(who.id());
  if (known == jobs_.end())
    return;
  const auto& uid = known->second->uid;
  if (auto i = latest_.find(uid); i != latest_.end() && i->second == who.id()) {
    table_.remove_job(uid);
    latest_.erase(i);
  }
  jobs_.erase(known);
}

job_changes_ptr job_list_state::changes_since(std::uint64_t revision) const {
  return std::make_shared<const job_changes>(table_.changes_since(revision));
}

job_list_actor::behavior_type
job_list(job_list_actor::stateful_pointer<job_list_state> self) {
  self->set_down_handler([self](const caf::down_msg& m) {
    self->state.on_supervisor_ended(m.source);
  });
  return {
      [self](const job_row& row) { self->state.on_job_row(row); },
      [self](const get_job_changes& q) {
        return self->state.changes_since(q.revision);
      },
  };
}

} // namespace troupe::actors
