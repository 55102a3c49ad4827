#include "actors/gang_inquiry.hpp"

#include "actors/job_supervisor.hpp"
#include "frameworks/core/gang.hpp"
#include "frameworks/core/gang_events.hpp"
#include "k8s/calls.hpp"

namespace troupe::actors {

namespace {

const k8s::resource queues{"scheduling.volcano.sh", "v1beta1", "queues",
                           "Queue"};

/// Jobs that all wait since before we started do not ask all at once.
constexpr std::chrono::seconds spread{30};

} // namespace

std::optional<k8s::time_point> gang_inquiry::settle() {
  const auto& o = owner_;
  const auto* group = core::group_of(o.seen_);
  bool waits =
      group && o.status_.reconciled && !o.status_.started
      && !o.status_.finished() && !o.job_->policy.suspend
      && core::waits_for_gang(*o.job_, o.seen_, o.out_->sizes->cluster);
  if (!waits) {
    looks_ = 0;
    first_ = {};
    return std::nullopt;
  }
  if (asking_)
    return std::nullopt;
  auto now = o.now();
  auto due = core::next_gang_look(*o.status_.reconciled, last_, looks_);
  if (looks_ == 0 && due + spread < now && first_ == k8s::time_point{})
    first_ = now
             + std::chrono::duration_cast<k8s::time_point::duration>(
                 o.out_->jitter() * spread);
  due = std::max(due, first_);
  if (due > now)
    return due;
  asking_ = true;
  group_ = group->uid;
  queue_ = core::gang_queue(*group);
  owner_.call(job_supervisor_state::read_group_events,
              k8s::list({k8s::resources::events, o.ref_->ns, "",
                         "involvedObject.uid=" + group_},
                        0, ""),
              priority::low);
  return std::nullopt;
}

void gang_inquiry::events_read(const k8s::result<std::string>& r) {
  reason_.clear();
  message_.clear();
  if (r)
    if (auto said = core::read_gang_events(*r, group_)) {
      reason_ = said->reason;
      message_ = said->message;
    }
  bool enough = !message_.empty() && !core::counts_gang_only(message_);
  if (enough || queues_forbidden_) {
    end_look();
    return;
  }
  owner_.call(job_supervisor_state::read_queue, k8s::get({queues, "", queue_}),
              priority::low);
}

void gang_inquiry::queue_read(const k8s::result<std::string>& r) {
  std::optional<core::gang_reason> said;
  if (r)
    said = core::read_gang_queue(queue_, *r);
  else if (r.error().code == k8s::ec::not_found
           && r.error().message.find('"' + queue_ + '"') != std::string::npos)
    // (Without the name it is the resource that the server does not know.)
    said = core::read_gang_queue(queue_, std::nullopt);
  else if (r.error().code == k8s::ec::forbidden)
    queues_forbidden_ = true;
  if (said) {
    reason_ = said->reason;
    message_ = said->message;
  }
  end_look();
}

void gang_inquiry::end_look() {
  asking_ = false;
  last_ = owner_.now();
  ++looks_;
  if (!message_.empty())
    owner_.record_all(owner_.seen_.record_waiting_reason(
        core::child_kind::volcano_group, group_, reason_, message_));
  owner_.reconcile_soon();
}

} // namespace troupe::actors
