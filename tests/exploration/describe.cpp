// States and moves as texts, for traces.
#include "tests/exploration/world.hpp"

namespace troupe::exploration {

namespace {

const char* phrase_of(act a) {
  switch (a) {
  case act::start_operator:
    return "the operator starts";
  case act::pass:
    return "a pass";
  case act::timer:
    return "the timer, a pass";
  case act::deliver_pod:
    return "a watch tells of";
  case act::deliver_job:
    return "a watch tells of the job";
  case act::deliver_workload:
    return "a watch tells of the Workload";
  case act::kueue_reserves:
    return "Kueue admits the job";
  case act::kueue_reserves_for_check:
    return "Kueue reserves quota, and waits for a check";
  case act::kueue_admits:
    return "Kueue admits the job, the check is passed";
  case act::kueue_preempts:
    return "Kueue preempts the job";
  case act::kueue_times_out:
    return "Kueue evicts the job, whose pods are late";
  case act::kueue_evicts_inactive:
    return "Kueue evicts the job, which is not active";
  case act::kueue_requeues:
    return "Kueue queues the job again";
  case act::deactivate:
    return "a person deactivates the Workload";
  case act::activate:
    return "a person activates the Workload";
  case act::remove_workload:
    return "a person deletes the Workload";
  case act::refuse_order:
    return "Kueue's webhook does not answer to";
  case act::deliver_list:
    return "a watch tells of its list";
  case act::deliver_order:
    return "it gets the answer about";
  case act::deliver_status:
    return "it gets the answer to its status write";
  case act::deliver_read:
    return "it gets the job that it asked for";
  case act::execute_order:
    return "the server does what was ordered:";
  case act::execute_status:
    return "the server gets the status";
  case act::execute_read:
    return "the server reads the job";
  case act::execute_late:
    return "the server gets a late call";
  case act::pod_runs:
    return "begins to run:";
  case act::pod_goes:
    return "is gone:";
  case act::pod_is_evicted:
    return "is evicted:";
  case act::node_falls_silent:
    return "a node falls silent:";
  case act::node_reports_again:
    return "a node reports again:";
  case act::pod_succeeds:
    return "succeeds:";
  case act::pod_fails:
    return "fails:";
  case act::pod_fails_fatally:
    return "fails with the code of the rule:";
  case act::ending_pod_succeeds:
    return "succeeds while it ends:";
  case act::ending_pod_fails:
    return "fails while it ends:";
  case act::remove_pod:
    return "is deleted by hand:";
  case act::remove_service:
    return "is deleted by hand:";
  case act::suspend:
    return "the job is suspended";
  case act::resume:
    return "the job is resumed";
  case act::operator_dies:
    return "the operator is killed";
  case act::lose_order_before:
    return "never reaches the server: the call about";
  case act::lose_order_after:
    return "is lost: the answer about";
  case act::lose_status_before:
    return "never reaches the server: the status";
  case act::lose_status_after:
    return "is lost: the answer to the status write";
  case act::take_list:
    return "the watch breaks; the server gives a list";
  case act::repeat_pod:
    return "will be told twice: all of";
  }
  return "";
}

std::string phase_name(const pod& p) {
  return std::string{k8s::to_string(p.phase)} + (p.deleting ? "-" : "");
}

std::string status_text(const core::job_status& s) {
  std::string text;
  for (const auto& c : s.conditions)
    if (c.status)
      text += c.type.substr(0, 3) + " ";
  for (const auto& [type, r] : s.replicas)
    text += type + ":" + std::to_string(r.active) + "/"
            + std::to_string(r.succeeded) + "/" + std::to_string(r.failed)
            + " ";
  for (const auto& r : s.restarts)
    text += "restarts:" + r.pod + "x" + std::to_string(r.count) + " ";
  if (s.recovery->attempt > 0)
    text += "attempt:" + std::to_string(s.recovery->attempt) + " ";
  return text;
}

std::string text_of(const workload& w) {
  if (!w.body)
    return "no Workload ";
  const auto& b = *w.body;
  return std::string{"Workload:"} + (b.active ? "" : " inactive")
         + (b.reserved ? " reserved" : "") + (b.admitted ? " admitted" : "")
         + (b.evicted ? " evicted" : "") + (b.finished ? " finished" : "")
         + (b.guarded ? " guarded" : "") + (w.deleting ? " deleting " : " ");
}

} // namespace

std::string world::describe(move m) const {
  std::string text = phrase_of(m.what);
  auto i = static_cast<std::size_t>(m.which);
  auto pod_at = [&](const pod& p) { text += " " + name_of(*s, p); };
  switch (m.what) {
  case act::deliver_pod:
  case act::repeat_pod:
    pod_at(channels[i].untold.front().as_seen);
    text += channels[i].untold.front().gone
                ? " gone"
                : " " + phase_name(channels[i].untold.front().as_seen);
    break;
  case act::deliver_order:
  case act::execute_order:
  case act::lose_order_before:
  case act::refuse_order:
  case act::lose_order_after: {
    const auto& o = op->orders[i];
    const char* what[] = {"create",
                          "delete",
                          "delete at once",
                          "look for",
                          "read the node of",
                          "read the Workload",
                          "read the job",
                          "read a flavor",
                          "make the Workload",
                          "write the Workload",
                          "remove the Workload",
                          "write the job"};
    text += std::string{" "} + what[static_cast<int>(o.call)] + " ";
    if (is_of_queue(o.call))
      text += "to " + core::describe_decision(*o.course.order().decision);
    else
      text += (s->is_service(o.slot) ? "service " : "")
              + core::to_string(s->slot_at(o.slot));
    break;
  }
  case act::pod_runs:
  case act::pod_goes:
  case act::pod_succeeds:
  case act::pod_fails:
  case act::pod_fails_fatally:
  case act::ending_pod_succeeds:
  case act::ending_pod_fails:
  case act::remove_pod:
  case act::pod_is_evicted:
    pod_at(pods[i]);
    break;
  case act::remove_service:
    pod_at(services[i]);
    break;
  case act::node_falls_silent:
  case act::node_reports_again:
    text += " " + core::to_string(s->slots()[i]);
    break;
  default:
    break;
  }
  return text;
}

std::string world::describe() const {
  std::string text = "server: " + status_text(*job.status);
  for (const auto& p : pods)
    text += name_of(*s, p) + "=" + phase_name(p)
            + (p.body->attempt > 0 ? "@" + std::to_string(p.body->attempt) : "")
            + " ";
  if (s->is_queued())
    text += (job.suspended() ? "held " : "") + text_of(work);
  if (!op)
    return text + "| no operator";
  text += "| knows: ";
  for (const auto& v : op->memory.observed().pods())
    text += v.name + "=" + k8s::to_string(v.phase) + (v.terminating ? "-" : "")
            + " ";
  return text + "| wants: " + status_text(*op->status)
         + (op->writing ? "(writing)" : "");
}

} // namespace troupe::exploration
