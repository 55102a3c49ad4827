#include "frameworks/core/waiting/waiting_queue.hpp"

#include "frameworks/core/model/framework.hpp"
#include "frameworks/core/pass/plan.hpp"
#include "frameworks/core/pass/queueing.hpp"
#include "frameworks/core/queueing/workload_comparison.hpp"
#include "frameworks/core/waiting/reason_parts.hpp"
#include "frameworks/core/waiting/waiting_calls.hpp"

namespace troupe::core {

namespace {

using optional_reason = std::optional<waiting_reason>;

constexpr next_move kueue{mover::controller, "Kueue"};
constexpr next_move the_kubelets{mover::cluster, "the kubelets of its pods"};

bool does_say(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

const workload_state& workload_in(const child_view& workload) {
  return *workload.content->workload;
}

std::optional<queue_view> view_of(const waiting_inputs& in) {
  if (!in.wanted)
    return {};
  return look_at_queue(*in.wanted, in.seen, in.open,
                       in.saved ? *in.saved : in.status, in.now, in.cluster);
}

/// What Kueue says when nothing that it does by itself will help.
struct hopeless_message {
  const char* part;
  next_move whose;
};

constexpr next_move who_starts_queues{
    mover::person, "an administrator, who starts or repairs the queue"};

constexpr next_move who_names_a_queue{
    mover::person, "a person, who names a LocalQueue in the job's label "
                   "kueue.x-k8s.io/queue-name"};

constexpr hopeless_message hopeless_messages[] = {
    {"doesn't exist",
     {mover::person, "an administrator, who makes that queue; a person if its "
                     "name in the job's label is wrong"}},
    {"is inactive", who_starts_queues},
    {"is stopped", who_starts_queues},
    {"maximum capacity",
     {mover::person, "an administrator, who raises the quota; a person who "
                     "makes the job smaller"}},
    {"unavailable in ClusterQueue",
     {mover::person, "an administrator, who adds that resource to the "
                     "ClusterQueue"}},
    {"namespace doesn't match",
     {mover::person, "an administrator, who lets this namespace use the "
                     "ClusterQueue"}},
};

next_move who_helps(const std::string& message) {
  for (const auto& m : hopeless_messages)
    if (does_say(message, m.part))
      return m.whose;
  return kueue;
}

std::string queue_of(const job& j, const workload_state& w) {
  return queue_words(j.queue.empty() ? w.queue : j.queue);
}

/// "1 pod is left", with what Kueue said when it evicted the job.
waiting_reason waiting_for_pods_with_quota(const queue_view& v,
                                           const workload_state& w) {
  auto r = reason_of("its pods to end, which hold quota"
                         + (w.cluster_queue.empty()
                                ? std::string{}
                                : " of ClusterQueue " + w.cluster_queue),
                     the_kubelets);
  if (w.is(w.evicted)) {
    r.how = "because Kueue has evicted the job (" + w.evicted->reason + ")";
    r.details = w.evicted->message;
    r.since = w.evicted->since;
  }
  if (v.live_pods > 0)
    r.then = pluralize(v.live_pods, "pod")
             + (v.live_pods == 1 ? " is left" : " are left");
  return r;
}

bool has_any_pods(const queue_view& v) {
  return v.live_pods > 0 || v.may_get_pods;
}

constexpr next_move who_brings_kueue_back{
    mover::person, "an administrator, who installs Kueue, or sets --kueue to "
                   "off"};

optional_reason waiting_without_workload(const queue_view& v) {
  const auto& j = v.of;
  if (!v.held_because.empty()) {
    auto r = reason_of(queue_words(j.queue), who_brings_kueue_back);
    r.details = v.held_because;
    return r;
  }
  if (!v.looked_up_in_vain && carries_admission(j))
    return reason_of("its Workload to be looked for", the_operator);
  if (has_any_pods(v))
    return reason_of("its pods to end", the_kubelets,
                     "before it asks Kueue for quota");
  return reason_of("its Workload to be made, for " + queue_words(j.queue),
                   the_operator);
}

waiting_reason waiting_after_finish(const workload_state& w) {
  auto r =
      reason_of("another Workload, because its own is finished ("
                    + w.finished->reason + ")",
                {mover::person, w.content_hash.empty()
                                    ? "a person, who changes the job's size or "
                                      "queue, or deletes the Workload"
                                    : "a person, who changes what the job asks "
                                      "for"});
  r.details = w.finished->message;
  r.since = w.finished->since;
  return r;
}

optional_reason waiting_while_inactive(const queue_view& v,
                                       const workload_state& w) {
  if (has_any_pods(
          v)) // They hold no quota; the row of pods that stop has more.
    return {};
  auto r =
      reason_of("its Workload to be active again",
                {mover::person, "a person, who sets spec.active of it to true"},
                v.workload->name);
  if (w.is(w.evicted)) {
    r.details = w.evicted->message;
    r.since = w.evicted->since;
  }
  return r;
}

/// "number 3 in it, number 12 in its ClusterQueue".
std::string place_text(const queue_news& news) {
  if (news.place && news.place_in_cluster_queue)
    return "number " + std::to_string(*news.place) + " in it, number "
           + std::to_string(*news.place_in_cluster_queue)
           + " in its ClusterQueue";
  return news.is_beyond > 0 ? "not among the first "
                                  + std::to_string(news.is_beyond) + " of it"
                            : "";
}

optional_reason waiting_for_admission(const waiting_inputs& in,
                                      const queue_view& v,
                                      const workload_state& w) {
  if (!v.held_because.empty()) { // What Kueue said last counts no more.
    auto r = reason_of(queue_of(v.of, w), who_brings_kueue_back);
    r.details = v.held_because;
    return r;
  }
  bool reserved = w.is(w.quota_reserved);
  if (reserved && !w.check_message.empty()) {
    auto r = reason_of(
        "an admission check of " + queue_of(v.of, w),
        {mover::controller, "the controller of that admission check"});
    r.details = w.check_message;
    r.since = w.quota_reserved->since;
    return r;
  }
  auto r = reason_of(queue_of(v.of, w), kueue);
  if (reserved) {
    r.details = "quota is reserved, it is not admitted yet";
    r.since = w.quota_reserved->since;
    return r;
  }
  const auto& news = in.supervisor.queue;
  r.details = w.quota_reserved ? w.quota_reserved->message : "";
  r.since = w.quota_reserved ? w.quota_reserved->since : v.workload->created;
  r.how = place_text(news);
  auto whose = w.queue.empty() && v.of.queue.empty() ? who_names_a_queue
                                                     : who_helps(r.details);
  // What the queues say of themselves explains a message that does not.
  if (!news.stopped.empty() && whose.who == mover::controller) {
    r.details = r.details.empty() ? news.stopped
                                  : news.stopped + "; Kueue says: " + r.details;
    whose = who_starts_queues;
  }
  r.whose_move = whose.who;
  r.who = whose.words;
  return r;
}

optional_reason waiting_with_workload(const waiting_inputs& in,
                                      const queue_view& v) {
  const auto& w = workload_in(*v.workload);
  if (v.workload->terminating) {
    if (!has_any_pods(v))
      return reason_of("its Workload to be gone, which was deleted",
                       the_operator);
    return waiting_for_pods_with_quota(v, w);
  }
  if (w.is(w.finished))
    return waiting_after_finish(w);
  if (!w.active)
    return waiting_while_inactive(v, w);
  if (w.is(w.evicted) && w.is(w.quota_reserved)) {
    if (has_any_pods(v))
      return waiting_for_pods_with_quota(v, w);
    return reason_of("its quota to be given back", the_operator);
  }
  if (!w.lets_pods_run())
    return waiting_for_admission(in, v, w);
  if (!in.wanted->policy.suspend)
    return {};
  return reason_of("its start, admitted by ClusterQueue " + w.cluster_queue,
                   the_operator);
}

} // namespace

optional_reason waiting_for_quota_of_deleted_job(const waiting_inputs& in) {
  if (!in.wanted || !in.wanted->deleting)
    return {};
  auto v = view_of(in);
  if (!v || !v->workload || !has_any_pods(*v))
    return {};
  const auto& w = workload_in(*v->workload);
  if (!v->workload->terminating || !w.keeps_quota || !w.holds_quota())
    return {};
  auto r = waiting_for_pods_with_quota(*v, w);
  if (r.how.empty())
    r.how = "because its deletion has been requested";
  return r;
}

optional_reason waiting_for_failed_queue_call(const waiting_inputs& in) {
  auto r = waiting_for_failed_call(in, child_kind::workload);
  if (!r)
    return r;
  if (does_say(r->details, "priorityclasses")
      && does_say(r->details, "not found")) {
    r->whose_move = mover::person;
    r->who = "a person, who makes that class, or changes the one that the job "
             "names";
  }
  return r;
}

optional_reason waiting_for_queue(const waiting_inputs& in) {
  if (!in.wanted || in.wanted->deleting)
    return {};
  if (waits_to_know_of_queue(*in.wanted, in.seen,
                             in.saved ? *in.saved : in.status, in.cluster)) {
    auto r =
        reason_of("it to be known whether Kueue is there",
                  {mover::this_operator, "the operator, which asks again"});
    r.details = in.cluster.queueing.why_off;
    return r;
  }
  auto v = view_of(in);
  if (!v || v->ended)
    return {};
  return v->workload ? waiting_with_workload(in, *v)
                     : waiting_without_workload(*v);
}

optional_reason waiting_for_quota_of_growth(const waiting_inputs& in) {
  auto v = view_of(in);
  if (!v || v->ended || !v->workload || !v->second
      || !workload_in(*v->workload).lets_pods_run())
    return {};
  const auto& w = workload_in(*v->second);
  auto r = reason_of("its further pods to be admitted by " + queue_of(v->of, w),
                     kueue);
  if (w.quota_reserved && !w.quota_reserved->is_true)
    r.details = w.quota_reserved->message;
  auto whose = who_helps(r.details);
  if (!v->held_because.empty()) {
    r.details = v->held_because;
    whose = who_brings_kueue_back;
  }
  r.whose_move = whose.who;
  r.who = whose.words;
  r.then = "it runs on with those that it has";
  return r;
}

std::string why_not_queued(const job& j, const job_status& saved,
                           const cluster_options& cluster) {
  const auto& q = cluster.queueing;
  if (!j.left_to_other.empty() || is_managed_externally(j))
    return {};
  if (j.queue.empty()
      && (!is_to_wait_without_label(j, cluster) || saved.is_finished()))
    return {};
  auto text = j.queue.empty()
                  ? "This job without the label of a queue does not wait for "
                    "Kueue, although --kueue-jobs-without-queue has its "
                    "namespace: "
                  : "Queue " + j.queue
                        + " of Kueue is not waited for by this "
                          "operator: ";
  const auto& type = j.kind->names.type;
  if (!is_queueable(*j.kind))
    return text + type.plural + " cannot be queued.";
  if (q.left_to_kueue.count(name_in_queueing(*j.kind)) > 0)
    return text + "Kueue's own integration looks after " + type.plural + ".";
  bool is_ours = q.on && !j.may_be_queued_by_controller;
  if (is_ours && !has_or_needs_queue(j, saved, cluster))
    return text + "it had begun before.";
  if (q.unknown || q.holds || is_ours)
    return {};
  if (q.on)
    return text
           + "another object controls the job, and may be queued in its place.";
  return text
         + (q.why_off.empty()
                ? "--kueue is off, or there is no Kueue in this cluster"
                : q.why_off)
         + ".";
}

} // namespace troupe::core
