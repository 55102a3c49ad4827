// The API server, the kubelets and the watches of a world.
#include "tests/exploration/invariants.hpp"
#include "tests/exploration/world.hpp"

#include <algorithm>

namespace troupe::exploration {

std::optional<std::size_t> world::find_pod(int slot, int number) const {
  for (std::size_t i = 0; i < pods.size(); ++i)
    if (pods[i].slot() == slot && (number == 0 || pods[i].number == number))
      return i;
  return std::nullopt;
}

const pod* world::find_object(int place, int number) const {
  for (const auto& o : s->is_service(place) ? services : pods)
    if (o.slot() == place && (number == 0 || o.number == number))
      return &o;
  return nullptr;
}

void world::tell_job() {
  if (op)
    untold_jobs.push_back(job);
}

void world::tell_pod(const pod& p, bool gone) {
  if (!op)
    return;
  auto i = std::find_if(channels.begin(), channels.end(),
                        [&](const channel& c) { return c.slot >= p.slot(); });
  if (i == channels.end() || i->slot != p.slot())
    i = channels.insert(i, channel{p.slot(), {}});
  i->untold.push_back({p, gone});
}

void world::change_pod(std::size_t index, k8s::pod_phase phase) {
  auto& p = pods[index];
  p.phase = phase;
  p.version = ++version;
  tell_pod(p, false);
}

void world::end_pod(std::size_t index, int exit_code) {
  pods[index].exit_code = exit_code;
  note_end_of_pod(*this, pods[index]);
  change_pod(index, exit_code == 0 ? k8s::pod_phase::succeeded
                                   : k8s::pod_phase::failed);
}

void world::remove_pod(std::size_t index) {
  auto p = pods[index];
  p.version = ++version;
  pods.erase(pods.begin() + static_cast<std::ptrdiff_t>(index));
  tell_pod(p, true);
}

void world::remove_service(std::size_t index) {
  auto o = services[index];
  o.version = ++version;
  services.erase(services.begin() + static_cast<std::ptrdiff_t>(index));
  tell_pod(o, true);
}

/// One that has ended goes at once: no kubelet has anything to do.
void world::begin_deletion(std::size_t index) {
  auto& p = pods[index];
  if (p.has_ended())
    return remove_pod(index);
  p.deleting = true;
  if (s->most.lost_nodes > 0)
    p.leaves_by = now + std::chrono::seconds{30};
  p.version = ++version;
  tell_pod(p, false);
}

order_answer world::execute(int slot, int number, order_call_kind call,
                            const pod_body* body, bool of_dead_process) {
  using what = order_answer::what;
  const auto* there = find_object(slot, 0);
  switch (call) {
  case order_call_kind::read_node:
    return {number == -1 && is_silent(static_cast<std::size_t>(slot))
                ? what::silent_node
                : what::node,
            {}};
  case order_call_kind::look:
    return there ? order_answer{what::pod, *there}
                 : order_answer{what::nothing, {}};
  case order_call_kind::create: {
    if (there)
      return {what::exists, {}};
    pod p;
    p.body = body;
    p.number = ++numbers[static_cast<std::size_t>(slot)];
    p.version = ++version;
    p.came_late = of_dead_process;
    p.spare = !s->is_service(slot) && is_silent(static_cast<std::size_t>(slot));
    auto& all = objects_at(slot);
    auto place = std::find_if(all.begin(), all.end(),
                              [&](const pod& x) { return x.slot() > slot; });
    all.insert(place, p);
    tell_pod(p, false);
    check_creation(*this, p);
    return {what::pod, p};
  }
  case order_call_kind::remove:
  case order_call_kind::remove_at_once:
    break;
  default:
    violation = "a call about a job in a queue is made by another order";
  }
  if (!there)
    return {what::not_found, {}};
  if (there->number != number)
    return {what::conflict, {}};
  if (s->is_service(slot)) {
    remove_service(static_cast<std::size_t>(there - services.data()));
    return {what::nothing, {}};
  }
  auto index = static_cast<std::size_t>(there - pods.data());
  if (call == order_call_kind::remove_at_once) {
    remove_pod(index);
    return {what::nothing, {}};
  }
  if (there->deleting)
    return {what::pod, *there};
  begin_deletion(index);
  there = find_object(slot, number);
  return there ? order_answer{what::pod, *there}
               : order_answer{what::nothing, {}};
}

job_object world::job_after(const status_call& call) const {
  auto next = job;
  if (call.annotations)
    for (const auto& [key, value] : *call.annotations)
      next.annotations[key] = value;
  else
    next.stored = s->prunes ? core::shared_status{core::with_parts_of(
                      *call.status, {true, true, true}, {})}
                            : call.status;
  if (!s->prunes) {
    next.status = next.stored;
    return next;
  }
  auto merged = *next.stored;
  core::merge_kept_parts(merged, next.annotations);
  next.status = std::move(merged);
  return next;
}

bool world::store_status(const status_call& call) {
  if (call.version != 0 && call.version != job.version)
    return false;
  auto next = job_after(call);
  check_status(*this, *next.status);
  // A patch that changes nothing makes no version.
  if (*next.stored == *job.stored && next.annotations == job.annotations)
    return true;
  job = std::move(next);
  job.version = ++version;
  tell_job();
  return true;
}

void world::change_spec() {
  ++job.generation;
  if (job.spec)
    job.spec = s->with_suspend(*job.spec, !job.spec->suspended);
  job.version = ++version;
  tell_job();
}

} // namespace troupe::exploration
