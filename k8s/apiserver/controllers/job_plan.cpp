#include "k8s/apiserver/controllers/job_plan.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/controllers/job_conditions.hpp"
#include "k8s/apiserver/controllers/job_failures.hpp"
#include "k8s/apiserver/controllers/job_indexes.hpp"
#include "k8s/apiserver/controllers/job_pod_choice.hpp"
#include "k8s/apiserver/resources/job_strategy.hpp"

#include <algorithm>
#include <set>

namespace troupe::k8s::apiserver {

namespace {

/// How many pods a status names at once, so that it stays small.
constexpr std::size_t most_uncounted = 500;

/// How a Job ends: the condition that says so first, while pods still go, and
/// the last one.
struct job_end {
  bool is_success = false;
  std::string reason;
  std::string message;

  const char* interim_condition() const {
    return is_success ? "SuccessCriteriaMet" : "FailureTarget";
  }
  const char* final_condition() const {
    return is_success ? "Complete" : "Failed";
  }
};

/// The steps of one decision; see plan_job at the end.
class job_planner {
public:
  job_planner(const json& job, const std::vector<job_pod>& pods,
              const job_back_off& back_off, time_point now)
      : job_(job)
      , pods_(pods)
      , now_(now)
      , time_(to_rfc3339(now))
      , ns_(text_at(job, {"metadata", "namespace"}))
      , spec_(read_job_spec(job)) {
    plan_.status = value_at(job, {"status"});
    if (!plan_.status.is_object())
      plan_.status = json::object();
    plan_.back_off = back_off;
  }

  job_plan release_all() {
    for (const auto& pod : pods_)
      if (pod.is_tracked)
        plan_.release.push_back(pod.name);
    return std::move(plan_);
  }

  job_plan plan_finished_job() {
    auto* end = find_job_condition(plan_.status, "Complete");
    if (!end || text_at(*end, {"status"}) != "True")
      end = find_job_condition(plan_.status, "Failed");
    auto since = from_rfc3339(text_at(*end, {"lastTransitionTime"}));
    if (spec_.time_to_live && since) {
      auto until = *since + *spec_.time_to_live;
      plan_.is_job_removed = until <= now_;
      if (!plan_.is_job_removed)
        look_again_at(until);
    }
    return release_all();
  }

  job_plan plan_unfinished_job() {
    count_released_pods();
    classify_pods();
    if (!spec_.is_suspended)
      set_default(plan_.status, "startTime", time_);
    auto end = find_end();
    if (end) {
      for (const auto* pod : active_)
        plan_.remove.push_back(pod->name);
    } else if (!is_terminating(job_)) {
      choose_pods_to_remove_and_create();
      end = find_success();
      if (!end)
        update_suspended_condition();
    }
    count_ended_pods(end);
    if (end)
      set_end_conditions(*end);
    write_counts();
    return std::move(plan_);
  }

private:
  void look_again_at(time_point when) {
    plan_.look_again = std::min(plan_.look_again.value_or(when), when);
  }

  json& uncounted(const char* which) {
    return ensure_array(ensure_object(plan_.status, "uncountedTerminatedPods"),
                        which);
  }

  /// Pods that are named in the status and no longer held by the finalizer
  /// become numbers.
  void count_released_pods() {
    std::set<std::string> tracked;
    for (const auto& pod : pods_)
      if (pod.is_tracked)
        tracked.insert(pod.uid);
    for (auto which : {"succeeded", "failed"}) {
      json kept = json::array();
      std::int64_t counted = 0;
      for (const auto& uid : uncounted(which))
        if (uid.is_string() && tracked.count(uid.get<std::string>()) > 0) {
          uncounted_uids_.insert(uid.get<std::string>());
          kept.push_back(uid);
        } else {
          ++counted;
        }
      uncounted(which) = std::move(kept);
      if (counted > 0)
        plan_.status[which] = number_at(plan_.status, {which}) + counted;
    }
  }

  /// A pod that is to go counts as failed before it has ended, unless its end
  /// is waited for.
  bool is_considered_failed(const job_pod& pod) const {
    if (pod.is == job_pod::phase::succeeded)
      return false;
    return pod.is == job_pod::phase::failed || pod.is_let_go
           || (pod.is_terminating && !spec_.replaces_ended_pods_only);
  }

  void classify_pods() {
    std::vector<const job_pod*> new_succeeded, new_failed;
    for (const auto& pod : pods_) {
      if (pod.is_active())
        active_.push_back(&pod);
      if (pod.is_on_its_way_out())
        ++going_;
      if (!pod.is_tracked || uncounted_uids_.count(pod.uid) > 0)
        continue;
      if (pod.is == job_pod::phase::succeeded)
        new_succeeded.push_back(&pod);
      else if (is_considered_failed(pod))
        new_failed.push_back(&pod);
    }
    failed_ = number_at(plan_.status, {"failed"})
              + static_cast<std::int64_t>(uncounted("failed").size());
    for (const auto* pod : new_failed)
      failed_ += match_job_failure(spec_.failure_rules, ns_, *pod).is_counted;
    if (spec_.is_indexed) {
      indexes_ = parse_job_indexes(text_at(plan_.status, {"completedIndexes"}),
                                   static_cast<int>(*spec_.completions));
      for (const auto* pod : new_succeeded)
        if (pod->index >= 0 && pod->index < *spec_.completions)
          indexes_.insert(pod->index);
      succeeded_ = static_cast<std::int64_t>(indexes_.size());
    } else {
      succeeded_ = number_at(plan_.status, {"succeeded"})
                   + static_cast<std::int64_t>(uncounted("succeeded").size()
                                               + new_succeeded.size());
    }
    plan_.back_off.add_ended_pods(new_succeeded, new_failed);
  }

  std::optional<job_end> find_end() {
    for (bool is_success : {true, false}) {
      job_end end{is_success, {}, {}};
      auto* c = find_job_condition(plan_.status, end.interim_condition());
      if (c && text_at(*c, {"status"}) == "True")
        return job_end{is_success, text_at(*c, {"reason"}),
                       text_at(*c, {"message"})};
    }
    for (const auto& pod : pods_)
      if (is_considered_failed(pod))
        if (auto match = match_job_failure(spec_.failure_rules, ns_, pod);
            match.fails_job)
          return job_end{false, "PodFailurePolicy", match.message};
    if (failed_ > spec_.backoff_limit || has_too_many_restarts())
      return job_end{false, "BackoffLimitExceeded",
                     "Job has reached the specified backoff limit"};
    return find_deadline_end();
  }

  bool has_too_many_restarts() const {
    if (!spec_.restarts_on_failure)
      return false;
    std::int64_t restarts = 0;
    for (const auto& pod : pods_)
      if (!pod.is_terminal())
        restarts += pod.restarts;
    return spec_.backoff_limit == 0 ? restarts > 0
                                    : restarts >= spec_.backoff_limit;
  }

  std::optional<job_end> find_deadline_end() {
    auto start = from_rfc3339(text_at(plan_.status, {"startTime"}));
    if (!spec_.deadline || !start || spec_.is_suspended)
      return std::nullopt;
    // A Job that is resumed right now begins anew.
    if (is_job_condition_true(plan_.status, "Suspended"))
      start = now_;
    auto until = *start + *spec_.deadline;
    if (until <= now_)
      return job_end{false, "DeadlineExceeded",
                     "Job was active longer than specified deadline"};
    look_again_at(until);
    return std::nullopt;
  }

  std::int64_t wanted_active_pods() const {
    auto active = static_cast<std::int64_t>(active_.size());
    if (spec_.is_suspended)
      return 0;
    if (!spec_.completions)
      return succeeded_ > 0 ? active : spec_.parallelism;
    return std::clamp<std::int64_t>(*spec_.completions - succeeded_, 0,
                                    spec_.parallelism);
  }

  void choose_pods_to_remove_and_create() {
    auto wanted = wanted_active_pods();
    for (const auto* pod :
         take_superfluous_pods(spec_, indexes_, wanted, active_)) {
      plan_.remove.push_back(pod->name);
      if (pod->is_tracked)
        plan_.remove_uncounted.push_back(pod->name);
    }
    auto missing = wanted - static_cast<std::int64_t>(active_.size())
                   - (spec_.replaces_ended_pods_only ? going_ : 0);
    if (missing <= 0 || !plan_.remove.empty())
      return;
    if (auto next = plan_.back_off.next_creation(); next > now_)
      look_again_at(next);
    else
      plan_.create = choose_new_indexes(spec_, pods_, indexes_, missing);
  }

  std::optional<job_end> find_success() {
    bool is_reached =
        spec_.completions ? succeeded_ >= *spec_.completions : succeeded_ > 0;
    bool is_idle =
        active_.empty() && plan_.remove.empty() && plan_.create.empty();
    if (!is_reached || !is_idle)
      return std::nullopt;
    return job_end{true, "CompletionsReached",
                   "Reached expected number of succeeded pods"};
  }

  void update_suspended_condition() {
    if (spec_.is_suspended) {
      if (set_job_condition(plan_.status, "Suspended", true, "JobSuspended",
                            "Job suspended", time_))
        plan_.events.push_back({false, "Suspended", "Job suspended"});
    } else if (set_job_condition(plan_.status, "Suspended", false, "JobResumed",
                                 "Job resumed", time_)) {
      plan_.events.push_back({false, "Resumed", "Job resumed"});
      plan_.status["startTime"] = time_;
    }
  }

  /// Names ended pods in the status, so that each counts once; the finalizer
  /// holds them until the status is written.
  void count_ended_pods(const std::optional<job_end>& end) {
    auto is_full = [&] {
      return uncounted("succeeded").size() + uncounted("failed").size()
             >= most_uncounted;
    };
    for (const auto& pod : pods_) {
      bool is_failed = is_considered_failed(pod);
      bool has_succeeded = pod.is == job_pod::phase::succeeded;
      if (!pod.is_tracked || (!end && !is_failed && !has_succeeded))
        continue;
      if (is_full())
        return;
      plan_.release.push_back(pod.name);
      if (uncounted_uids_.count(pod.uid) > 0)
        continue;
      // When a Job fails, what has not ended has failed.
      if (has_succeeded) {
        if (!spec_.is_indexed)
          uncounted("succeeded").push_back(pod.uid);
      } else if ((is_failed || (end && !end->is_success))
                 && match_job_failure(spec_.failure_rules, ns_, pod)
                        .is_counted) {
        uncounted("failed").push_back(pod.uid);
      }
    }
  }

  void set_end_conditions(const job_end& end) {
    set_job_condition(plan_.status, end.interim_condition(), true, end.reason,
                      end.message, time_);
    bool is_over = plan_.remove.empty() && plan_.release.empty() && going_ == 0
                   && uncounted("succeeded").empty()
                   && uncounted("failed").empty();
    if (!is_over)
      return;
    set_job_condition(plan_.status, end.final_condition(), true, end.reason,
                      end.message, time_);
    if (end.is_success) {
      plan_.status["completionTime"] = time_;
      plan_.events.push_back({false, "Completed", "Job completed"});
    } else {
      plan_.events.push_back({true, end.reason, end.message});
    }
    if (spec_.time_to_live)
      look_again_at(now_ + *spec_.time_to_live);
  }

  void set_or_erase(const char* key, std::int64_t value) {
    if (value > 0)
      plan_.status[key] = value;
    else
      plan_.status.erase(key);
  }

  void write_counts() {
    std::int64_t ready = 0;
    for (const auto* pod : active_)
      ready += pod->is_ready ? 1 : 0;
    set_or_erase("active", static_cast<std::int64_t>(active_.size()));
    plan_.status["ready"] = ready;
    plan_.status["terminating"] = going_;
    if (spec_.is_indexed) {
      set_or_erase("succeeded", succeeded_);
      plan_.status["completedIndexes"] = format_job_indexes(indexes_);
      if (indexes_.empty())
        plan_.status.erase("completedIndexes");
    }
    auto& of_pods = plan_.status["uncountedTerminatedPods"];
    for (auto which : {"succeeded", "failed"})
      if (of_pods[which].empty())
        of_pods.erase(which);
  }

  const json& job_;
  const std::vector<job_pod>& pods_;
  time_point now_;
  std::string time_;
  std::string ns_;
  job_spec spec_;
  job_plan plan_;
  std::set<std::string> uncounted_uids_; ///< Of pods named in the status.
  std::vector<const job_pod*> active_;
  std::int64_t going_ = 0; ///< Pods that are to go and have not ended.
  std::int64_t failed_ = 0;
  std::int64_t succeeded_ = 0;
  std::set<int> indexes_; ///< Of an Indexed Job: those that have succeeded.
};

} // namespace

job_plan plan_job(const json& job, const std::vector<job_pod>& pods,
                  const job_back_off& back_off, time_point now) {
  job_planner planner{job, pods, back_off, now};
  if (is_terminating(job))
    return planner.release_all();
  if (is_finished_job(job))
    return planner.plan_finished_job();
  return planner.plan_unfinished_job();
}

} // namespace troupe::k8s::apiserver
