#include "frameworks/core/queueing/queue_course.hpp"

#include "frameworks/core/queueing/workload_comparison.hpp"
#include "frameworks/core/queueing/workload_content.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

constexpr const char* made_again = "pods are made again that it has given back";

const workload_state& state_of(const child_view& workload) {
  return *workload.content->workload;
}

queue_order order_about(const queue_view& v, const child_view* workload,
                        queue_action what, std::string why) {
  queue_order result;
  result.what = what;
  result.name = workload_name(v.of);
  if (workload) {
    result.name = workload->name;
    result.uid = workload->uid.text();
    result.version = workload->version;
  }
  result.why = std::move(why);
  result.decided = v.now;
  return result;
}

queue_order order_of(const queue_view& v, queue_action what, std::string why) {
  return order_about(v, v.workload, what, std::move(why));
}

/// Lets it go and deletes it; it has no quota, or needs none.
queue_order removal_of(const queue_view& v, const child_view& workload,
                       std::string why) {
  return order_about(v, &workload,
                     state_of(workload).keeps_quota ? queue_action::unguard
                                                    : queue_action::remove,
                     std::move(why));
}

bool has_no_pods(const queue_view& v) {
  return v.live_pods == 0 && !v.may_get_pods;
}

queue_step hold(std::string summary) {
  queue_step step;
  step.verdict = queue_verdict::hold;
  step.summary = std::move(summary);
  return step;
}

/// Suspends the job in its spec, if it is not.
queue_step held_in_spec(const queue_view& v, std::string why,
                        std::string summary) {
  auto step = hold(std::move(summary));
  if (!v.of.policy.suspend
      || (v.workload && has_admission_to_take_out(v.of, state_of(*v.workload))))
    step.order = order_of(v, queue_action::hold, std::move(why));
  return step;
}

/// The Workload goes, and another is made.
queue_step replace_workload(const queue_view& v, const std::string& why) {
  auto step = held_in_spec(v, why, "waits for another Workload: " + why);
  if (!step.order && has_no_pods(v))
    step.order = removal_of(v, *v.workload, why);
  return step;
}

queue_step look_up(const queue_view& v) {
  queue_step step;
  step.verdict = v.ended ? queue_verdict::run : queue_verdict::wait;
  step.needs_lookup = true;
  step.summary = "looks for its Workload";
  return step;
}

queue_step without_workload(const queue_view& v) {
  if (v.of.deleting)
    return {};
  if (!v.held_because.empty())
    return v.ended ? queue_step{}
                   : held_in_spec(v, v.held_because, v.held_because);
  if (!v.looked_up_in_vain && carries_admission(v.of))
    return look_up(v);
  if (v.ended)
    return {};
  auto step = held_in_spec(v, "no Workload has been admitted",
                           "waits for " + queue_words(v.of.queue));
  if (!step.order && has_no_pods(v)) {
    step.order = order_of(v, queue_action::ask, "the job needs quota");
    step.order->content_hash = hash_of_asked_content(v.of);
  }
  return step;
}

queue_step after_end(const queue_view& v, const workload_state& w) {
  queue_step step;
  if (!v.cleaned_up)
    return step;
  if (!w.is(w.finished)) {
    step.order = order_of(v, queue_action::finish, "the job has ended");
    step.order->reason = v.succeeded ? "Succeeded" : "Failed";
    step.order->message = v.end_message;
  } else if (w.keeps_quota) {
    step.order = order_of(v, queue_action::unguard, "the job has ended");
  }
  return step;
}

/// What a Workload without quota, and without pods, is to say.
std::optional<queue_order> order_of_content(const queue_view& v,
                                            const workload_state& w) {
  if (v.workload->unselected)
    return order_of(v, queue_action::label, "Kueue has made it");
  if (w.is(w.quota_reserved)
      || !(w.content_hash.empty() || asks_for_other_content(v.of, w)))
    return std::nullopt;
  auto order =
      order_of(v, queue_action::ask_anew, "the job asks for something else");
  order.content_hash = hash_of_asked_content(v.of);
  return order;
}

queue_step evicted(const queue_view& v, const workload_state& w) {
  auto why = "Kueue has evicted it (" + w.evicted->reason + ")";
  auto step = held_in_spec(v, why, why + ": " + w.evicted->message);
  if (step.order)
    step.order->message = w.evicted->message;
  if (step.order || !has_no_pods(v))
    return step;
  if (w.is(w.quota_reserved))
    step.order =
        order_of(v, queue_action::release, "it was evicted and has no pods");
  else // It waits, until it is admitted again.
    step.order = order_of_content(v, w);
  return step;
}

std::string waiting_summary(const queue_view& v, const workload_state& w) {
  if (!v.held_because.empty())
    return v.held_because;
  auto text = "waits for " + queue_words(v.of.queue);
  if (!w.active)
    return text + ": its Workload is not active";
  if (!w.is(w.quota_reserved))
    return w.quota_reserved && !w.quota_reserved->message.empty()
               ? text + ": " + w.quota_reserved->message
               : text;
  return w.check_message.empty()
             ? text
             : text + ": admission check " + w.check_message;
}

/// Kueue finishes the Workload of a job that grows, and then reserves quota for
/// the one that takes its place, and admits it.
bool is_between_slices(const queue_view& v) {
  if (!v.workload || !v.spent || v.of.policy.suspend || v.of.deleting || v.ended
      || v.workload->terminating)
    return false;
  const auto& w = state_of(*v.workload);
  return !w.lets_pods_run() && !w.is(w.evicted) && !w.is(w.finished)
         && state_of(*v.spent).finished->reason == "WorkloadSliceReplaced";
}

/// Until when pods run on without any quota; nullopt: they do not. The clocks
/// of Kueue and of this process differ by less.
std::optional<time_point> slice_quota_due(const queue_view& v) {
  auto since = state_of(*v.spent).finished->since;
  bool is_late = since + slice_quota_takes <= v.now;
  return is_late || since >= v.now + slice_quota_takes
             ? std::nullopt
             : std::optional{since + slice_quota_takes};
}

bool runs_between_slices(const queue_view& v) {
  return is_between_slices(v)
         && (state_of(*v.workload).holds_quota() || slice_quota_due(v));
}

/// With the quota of the larger Workload the job runs on as it was.
queue_step between_slices(const queue_view& v) {
  queue_step step;
  if (state_of(*v.workload).holds_quota()) {
    step.most_pods = state_of(*v.spent).asked;
    return step;
  }
  step.verdict = queue_verdict::wait;
  step.look_again_at = slice_quota_due(v);
  step.summary = "waits for Kueue to admit its larger Workload";
  return step;
}

queue_step waiting(const queue_view& v, const workload_state& w) {
  if (runs_between_slices(v))
    return between_slices(v);
  // What it waits for would not be what it needs.
  if (w.is(w.quota_reserved) && v.of.policy.suspend && !carries_admission(v.of)
      && !w.content_hash.empty() && asks_for_other_content(v.of, w))
    return replace_workload(v, "the job asks for something else");
  auto step =
      held_in_spec(v, "its Workload is not admitted", waiting_summary(v, w));
  if (!step.order && has_no_pods(v))
    step.order = order_of_content(v, w);
  return step;
}

queue_step admitted_and_held(const queue_view& v, const workload_state& w) {
  // A person may have suspended it while it ran: it is as it was granted.
  bool ran = carries_admission(v.of);
  if (ran ? compare_size(v.of, w, v.done) == job_size::other
          : asks_for_other_size(v.of, w))
    return replace_workload(v, "the job has another size");
  if (ran ? requests_other_resources(v.of, w) : asks_for_other_content(v.of, w))
    return replace_workload(v, "the job asks for something else");
  if (needs_what_was_returned(v.of, w, v.done))
    return replace_workload(v, made_again);
  auto step = hold("is admitted by Kueue and starts");
  if (has_no_pods(v))
    step.order = order_of(v, queue_action::start,
                          "admitted by cluster queue " + w.cluster_queue);
  if (step.order)
    step.order->message = w.cluster_queue;
  return step;
}

/// One that is being deleted goes when our finalizer is off.
bool is_to_be_removed(const child_view& w) {
  return !w.terminating || state_of(w).keeps_quota;
}

/// It runs on with what it has, until it is given more.
queue_step growing(const queue_view& v, const workload_state& w) {
  queue_step step;
  step.most_pods = w.asked;
  auto wanted = counts_of(v.of);
  auto differs = [&](const pod_set_count& one) {
    return count_of(wanted, one.name, -1) != one.count;
  };
  if (v.second && v.second->terminating) {
    if (state_of(*v.second).keeps_quota)
      step.order = removal_of(v, *v.second, "it was deleted");
  } else if (!v.second) {
    step.order = order_of(v, queue_action::grow, "the job has become larger");
    step.order->second = workload_slice_name(v.of);
    step.order->pods.returned = std::move(wanted);
  } else if (const auto& next = state_of(*v.second);
             std::any_of(next.asked.begin(), next.asked.end(), differs)) {
    step.order = next.holds_quota()
                     ? removal_of(v, *v.second, "the job has another size")
                     : order_about(v, v.second, queue_action::regrow,
                                   "the job has another size");
    step.order->pods.returned = std::move(wanted);
  } else if (!v.of.queue.empty() && is_report_due(w, v.pods)) {
    step.order = order_of(v, queue_action::report, "its pods have changed");
    step.order->pods = v.pods;
  }
  return step;
}

queue_step running(const queue_view& v, const workload_state& w) {
  queue_step step;
  if (v.workload->unselected) {
    step.order = order_of(v, queue_action::label, "Kueue has made it");
    return step;
  }
  if (requests_other_resources(v.of, w))
    return replace_workload(v, "its pods request something else");
  if (needs_what_was_returned(v.of, w, v.done))
    return replace_workload(v, made_again);
  auto compared = compare_size(v.of, w, v.done);
  bool is_larger_elastic = compared == job_size::larger && is_elastic(v.of);
  if (!is_larger_elastic
      && (compared == job_size::other || compared == job_size::larger))
    return replace_workload(v, "the job has another size");
  // A person has changed and resumed it just before it was admitted.
  if (!carries_admission(v.of) && has_no_pods(v) && !w.content_hash.empty()
      && asks_for_other_content(v.of, w))
    return replace_workload(v, "the job asks for something else");
  if (lacks_admission(v.of, w)) {
    step.order = order_of(v, queue_action::start,
                          "what was granted is missing in its templates");
    step.order->message = w.cluster_queue;
    step.order->beside_pods = !has_no_pods(v);
    step.verdict = queue_verdict::wait;
    return step;
  }
  if (is_larger_elastic)
    return growing(v, w);
  if (v.second && is_to_be_removed(*v.second)) {
    step.order = removal_of(v, *v.second, "the job has the size that it had");
  } else if (compared == job_size::smaller && !v.has_surplus_pods) {
    step.order =
        order_of(v, queue_action::shrink, "the job has become smaller");
    step.order->pods.returned = counts_to_shrink_to(v.of, w, v.done);
  } else if (!v.of.queue.empty() && is_report_due(w, v.pods)) {
    step.order = order_of(v, queue_action::report, "its pods have changed");
    step.order->pods = v.pods;
  } else if (names_other_class(v.of, w)) {
    step.order = order_of(v, queue_action::rank, "the job names another class");
  }
  return step;
}

/// A job that has not been admitted, and whose label of a queue was removed: it
/// is no queue's concern any more.
queue_step without_queue(const queue_view& v) {
  auto step = hold("leaves its queue: it has the label of none any more");
  if (has_no_pods(v))
    step.order = removal_of(v, *v.workload, "the job has no queue any more");
  return step;
}

/// Without those that stand beside the current one.
queue_step step_of_current(const queue_view& v) {
  if (!v.workload)
    return without_workload(v);
  const auto& w = state_of(*v.workload);
  bool leaves = v.workload->terminating;
  if (v.of.deleting) {
    queue_step step;
    if (leaves && w.keeps_quota && has_no_pods(v))
      step.order = order_of(v, queue_action::unguard, "the job is deleted");
    return step;
  }
  if (v.ended && !leaves)
    return after_end(v, w);
  if (leaves) {
    queue_step step;
    if (!v.ended)
      step = held_in_spec(v, "its Workload was deleted",
                          "waits until its Workload is gone");
    // Pods that an ended job leaves are left on purpose.
    bool is_free = v.ended ? v.cleaned_up : has_no_pods(v);
    if (!step.order && w.keeps_quota && is_free)
      step.order = order_of(v, queue_action::unguard, "it was deleted");
    return step;
  }
  if (w.is(w.finished)) {
    if (v.of.policy.suspend && asks_for_other_content(v.of, w))
      return replace_workload(v, "the job asks for something else");
    return held_in_spec(v, "its Workload is finished",
                        "its Workload is finished (" + w.finished->reason
                            + "): " + w.finished->message);
  }
  if (v.of.queue.empty() && !v.waits_without_label && !w.lets_pods_run())
    return without_queue(v);
  if (w.is(w.evicted))
    return evicted(v, w);
  if (!w.lets_pods_run())
    return waiting(v, w);
  return v.of.policy.suspend ? admitted_and_held(v, w) : running(v, w);
}

} // namespace

std::string queue_words(const std::string& queue) {
  return queue.empty() ? "a queue of Kueue (its label names none)"
                       : "queue " + queue + " of Kueue";
}

queue_step next_queue_step(const queue_view& v) {
  auto step = step_of_current(v);
  bool is_held = step.verdict == queue_verdict::hold || v.ended;
  // One that is finished may have the name of the next.
  bool may_wait = !step.order || step.order->what == queue_action::grow;
  if (may_wait && v.spent && !runs_between_slices(v))
    step.order = order_about(v, v.spent, queue_action::unguard,
                             "another Workload has taken its place");
  else if (is_held && v.second && is_to_be_removed(*v.second))
    step.order = removal_of(v, *v.second, "the job does not run");
  return step;
}

} // namespace troupe::core
