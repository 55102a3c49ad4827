#include "actors/api/fact_sender.hpp"

#include "actors/base/job_pod_addresses.hpp"
#include "frameworks/core/spec/job_reading.hpp"

namespace troupe::actors {

fact_sender::fact_sender(watcher_actor::pointer self, context_ptr context,
                         watch_target about, k8s::object_detail detail,
                         directory_shards to)
    : self_(self)
    , context_(std::move(context))
    , about_(std::move(about))
    , directories_(std::move(to))
    , records_pod_addresses_(context_->pod_addresses && !about_.job_kind
                             && detail == k8s::object_detail::pod_with_ports) {}

void fact_sender::send_seen_and_record_address(const k8s::object_ptr& item,
                                               std::uint64_t list_number) {
  if (about_.job_kind) {
    if (is_of_other_row(*item))
      return;
    self_->send(directory_of_job(*item),
                job_seen{about_.job_kind, item, list_number});
    return;
  }
  send_to_child_directory_or_all(
      child_seen{about_.children, item, list_number});
  // After the fact: whoever is known by it asks later than that.
  if (records_pod_addresses_)
    context_->pod_addresses->record_seen(*item, list_number);
}

void fact_sender::send_deleted_and_notify_name_waiters(
    const k8s::object_ptr& item) {
  if (about_.job_kind) {
    if (is_of_other_row(*item))
      return;
    self_->send(directory_of_job(*item), job_deleted{about_.job_kind, item});
    return;
  }
  send_to_child_directory_or_all(child_deleted{about_.children, item});
  notify_actors_awaiting_name(*item);
  if (records_pod_addresses_)
    context_->pod_addresses->record_deleted(*item);
}

void fact_sender::send_list_complete_to_all(std::uint64_t list_number,
                                            std::uint64_t version) {
  for (const auto& d : directories_.all())
    self_->send(d, list_complete{about_, list_number, version});
  if (records_pod_addresses_)
    context_->pod_addresses->forget_unlisted(about_, list_number, version);
}

bool fact_sender::is_of_other_row(const k8s::object& job) const {
  return core::birth_of(*about_.job_kind, job) == core::birth::of_other_row;
}

const directory_actor&
fact_sender::directory_of_job(const k8s::object& job) const {
  return directories_.directory_of_job(
      job.meta.ns, about_.job_kind->names.type.kind, job.meta.name);
}

void fact_sender::notify_actors_awaiting_name(const k8s::object& gone) {
  for (const auto& who :
       context_->awaited->take(about_.children, gone.meta.ns, gone.meta.name))
    self_->send(caf::actor_cast<order_issuer_actor>(who),
                name_freed{about_.children, gone.meta.name});
}

template <class Fact>
void fact_sender::send_to_child_directory_or_all(const Fact& fact) {
  if (const auto* one = directories_.directory_of_child(fact)) {
    self_->send(*one, fact);
    return;
  }
  for (const auto& d : directories_.all())
    self_->send(d, fact);
}

} // namespace troupe::actors
