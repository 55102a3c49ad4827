#include "actors/jobs/orders/replica_groups.hpp"

#include <utility>

namespace troupe::actors {

void replica_groups::execute(const group_id& which, execute_orders batch,
                             const context_ptr& context) {
  auto& group = all_[which];
  if (!group)
    group =
        self_->spawn<caf::linked>(replica_group, context, which,
                                  caf::actor_cast<order_issuer_actor>(self_));
  self_->send(group, std::move(batch));
}

void replica_groups::cancel_pending_creations() {
  for (auto& [which, group] : all_)
    self_->send(group, actors::cancel_pending_creations{});
}

void replica_groups::end_auxiliary_group() {
  auto i = all_.find({true, ""});
  if (i == all_.end())
    return;
  self_->unlink_from(i->second);
  self_->send_exit(i->second, caf::exit_reason::user_shutdown);
  all_.erase(i);
}

} // namespace troupe::actors
