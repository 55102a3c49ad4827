#include "k8s/apiserver/controllers/job_controller.hpp"

#include "k8s/apiserver/base/object_metadata.hpp"
#include "k8s/apiserver/controllers/job_plan.hpp"
#include "k8s/apiserver/controllers/job_queue.hpp"
#include "k8s/apiserver/controllers/job_writer.hpp"
#include "k8s/apiserver/storage/object_database.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace troupe::k8s::apiserver {

namespace {

/// A turn ends after so many writes, or Jobs.
constexpr int most_writes_in_turn = 32;
constexpr int most_jobs_in_turn = 16;
/// A Job is looked at so often in one turn: it is suspended, counted and
/// completed in fewer steps.
constexpr int most_steps_of_job = 6;

constexpr auto first_retry = std::chrono::seconds{1};
constexpr auto longest_retry = std::chrono::minutes{1};

/// As Kubernetes limits the events of one object.
job_allowance events_of_job() {
  return {25, 1.0 / 300};
}

/// A Job, and what is known of its pods.
struct controlled_job {
  std::string ns;
  std::string key;
  std::map<std::string, job_pod> pods; ///< By their UIDs.
  job_back_off back_off;
  job_allowance events = events_of_job();
  std::optional<time_point> look_again;
  int failed_turns = 0; ///< In a row.
};

class store_job_controller : public job_controller {
public:
  explicit store_job_controller(server_state& state)
      : state_(state)
      , writer_(state) {}

  void observe_change(const change& c) override {
    if (!is_loaded_)
      return;
    if (c.bucket == "namespaces" && c.type == change::kind::deleted)
      pod_turns_.forget_namespace(c.key.substr(1));
    else if (c.bucket == job_bucket)
      observe_job(c.key, *c.after, c.type == change::kind::deleted);
    else if (c.bucket == pod_bucket)
      observe_pod(c.key, *c.after, c.type == change::kind::deleted);
  }

  std::optional<time_point> take_turn() override {
    load_once();
    writer_.begin_turn(most_writes_in_turn);
    queue_due_jobs();
    release_orphans();
    for (int i = 0; i < most_jobs_in_turn && writer_.may_write(); ++i) {
      auto uid = queue_.take();
      if (!uid)
        break;
      control_job_or_retry(*uid);
    }
    if (!queue_.empty() || !orphans_.empty())
      return state_.now();
    return timers_.empty() ? std::nullopt
                           : std::optional{timers_.begin()->first};
  }

private:
  // -- what changes -----------------------------------------------------------

  void report_work() {
    if (on_work)
      on_work();
  }

  /// A Job in its turn is looked at until nothing of it is left to do.
  void queue_job(const std::string& uid, const controlled_job& job) {
    if (uid == uid_in_turn_)
      return;
    queue_.add(job.ns, uid);
    report_work();
  }

  void observe_job(const std::string& key, const stored_object& object,
                   bool is_deleted) {
    auto [uid, ns] = object.read_members(
        {{"metadata", "uid"}, {"metadata", "namespace"}}, [](const json& o) {
          return std::pair{text_at(o, {"metadata", "uid"}),
                           text_at(o, {"metadata", "namespace"})};
        });
    if (is_deleted) {
      forget_job(uid);
      return;
    }
    auto& job = jobs_[uid];
    job.ns = ns;
    job.key = key;
    queue_job(uid, job);
  }

  void forget_job(const std::string& uid) {
    auto i = jobs_.find(uid);
    if (i == jobs_.end())
      return;
    auto ns = i->second.ns;
    set_timer(uid, i->second, std::nullopt);
    for (const auto& [pod_uid, pod] : i->second.pods)
      if (pod.is_tracked)
        orphans_.insert(storage_key(ns, pod.name));
    jobs_.erase(i);
    pod_turns_.leave(ns, uid);
    wake_next_job(ns);
    report_work();
  }

  void observe_pod(const std::string& key, const stored_object& object,
                   bool is_deleted) {
    auto [uid, pod] = object.read_value([](const json& o) {
      auto job = controlling_job_uid(o);
      bool concerns_us =
          !job.empty() || has_finalizer(o, job_tracking_finalizer);
      return std::pair{job, concerns_us ? read_job_pod(o) : job_pod{}};
    });
    auto job = jobs_.find(uid);
    if (job == jobs_.end()) {
      if (pod.is_tracked && !is_deleted && orphans_.insert(key).second)
        report_work();
      return;
    }
    bool is_of_interest = !is_deleted && (pod.is_tracked || !pod.is_terminal());
    if (is_of_interest)
      job->second.pods[pod.uid] = std::move(pod);
    else
      job->second.pods.erase(pod.uid);
    queue_job(uid, job->second);
  }

  /// Everything that is there when the first turn is taken.
  void load_once() {
    if (std::exchange(is_loaded_, true))
      return;
    state_.objects.for_each(job_bucket, {}, {},
                            [&](const auto& key, const stored_object_ptr& o) {
                              observe_job(key, *o, false);
                              return true;
                            });
    std::map<std::string, std::vector<job_pod>> counted;
    state_.objects.for_each(
        pod_bucket, {}, {}, [&](const auto& key, const stored_object_ptr& o) {
          observe_pod(key, *o, false);
          auto [uid, pod] = o->read_value([](const json& v) {
            auto job = controlling_job_uid(v);
            return std::pair{job, job.empty() ? job_pod{} : read_job_pod(v)};
          });
          if (pod.is_terminal() && !pod.is_tracked && jobs_.count(uid) > 0)
            counted[uid].push_back(std::move(pod));
          return true;
        });
    for (const auto& [uid, pods] : counted)
      restore_back_off(pods, jobs_[uid].back_off);
  }

  /// From the pods that ended, and were counted, before this program began.
  static void restore_back_off(const std::vector<job_pod>& pods,
                               job_back_off& back_off) {
    std::vector<const job_pod*> succeeded, failed;
    for (const auto& pod : pods)
      (pod.is == job_pod::phase::succeeded ? succeeded : failed)
          .push_back(&pod);
    back_off.add_ended_pods(succeeded, failed);
  }

  // -- timers -----------------------------------------------------------------

  void set_timer(const std::string& uid, controlled_job& job,
                 std::optional<time_point> when) {
    if (job.look_again == when)
      return;
    if (job.look_again)
      timers_.erase({*job.look_again, uid});
    job.look_again = when;
    if (when)
      timers_.insert({*when, uid});
  }

  /// The Job whose turn it is to create a pod is looked at when it may.
  void wake_next_job(const std::string& ns) {
    auto next = pod_turns_.next(ns);
    if (!next)
      return;
    const auto& [uid, when] = *next;
    auto& job = jobs_.at(uid);
    set_timer(uid, job, std::min(job.look_again.value_or(when), when));
  }

  void queue_due_jobs() {
    auto now = state_.now();
    while (!timers_.empty() && timers_.begin()->first <= now) {
      auto uid = timers_.begin()->second;
      auto& job = jobs_.at(uid);
      set_timer(uid, job, std::nullopt);
      queue_.add(job.ns, uid);
    }
  }

  // -- one Job ----------------------------------------------------------------

  void control_job_or_retry(const std::string& uid) {
    bool is_done = false;
    uid_in_turn_ = uid;
    try {
      value_cache::pin pinned{state_.objects.parsed_values()};
      is_done = control_job(uid);
    } catch (const database_error&) {
      // The disk is full, perhaps.
    } catch (const json::exception&) {
      // An object that an earlier program, or a damaged file, left.
    }
    uid_in_turn_.clear();
    auto i = jobs_.find(uid);
    if (i == jobs_.end())
      return;
    auto& job = i->second;
    if (is_done) {
      job.failed_turns = 0;
    } else {
      pod_turns_.leave(job.ns, uid); // Others need not wait for it.
      auto pause = first_retry * (1 << std::min(job.failed_turns, 6));
      ++job.failed_turns;
      set_timer(uid, job,
                state_.now()
                    + std::min<std::chrono::seconds>(pause, longest_retry));
    }
    wake_next_job(job.ns);
  }

  /// False: something that was to be done could not be done.
  bool control_job(const std::string& uid) {
    for (int step = 0; step < most_steps_of_job; ++step) {
      auto i = jobs_.find(uid);
      if (i == jobs_.end())
        return true;
      auto& job = i->second;
      auto object = state_.objects.find(job_bucket, job.key);
      if (!object || is_job_managed_elsewhere(object->value())) {
        pod_turns_.leave(job.ns, uid);
        return true;
      }
      std::vector<job_pod> pods;
      for (const auto& [pod_uid, pod] : job.pods)
        pods.push_back(pod);
      auto plan = plan_job(object->value(), pods, job.back_off, state_.now());
      set_timer(uid, job, plan.look_again);
      if (plan.create.empty())
        pod_turns_.leave(job.ns, uid);
      if (plan.is_job_removed)
        return writer_.remove_finished_job(*object, job.key);
      if (!plan.remove.empty() || !plan.create.empty()) {
        auto done = change_pods(*object, uid, job, plan);
        if (done == outcome::failed)
          return false;
        if (done == outcome::changed)
          continue;
      }
      job.back_off = plan.back_off;
      bool is_changed =
          writer_.write_status(*object, job.key, plan, job.events);
      for (const auto& name : plan.release)
        writer_.release_pod(storage_key(job.ns, name));
      if (!is_changed && plan.release.empty())
        return true;
    }
    if (auto i = jobs_.find(uid); i != jobs_.end())
      queue_.add(i->second.ns, uid); // More of it in another turn.
    return true;
  }

  enum class outcome : std::uint8_t { changed, postponed, failed };

  /// As many pods as may be removed and created now.
  outcome change_pods(const stored_object& object, const std::string& uid,
                      controlled_job& job, const job_plan& plan) {
    auto result = outcome::postponed;
    for (const auto& name : plan.remove) {
      if (!writer_.may_write()) {
        queue_.add(job.ns, uid);
        return result;
      }
      bool is_counted = std::find(plan.remove_uncounted.begin(),
                                  plan.remove_uncounted.end(), name)
                        == plan.remove_uncounted.end();
      writer_.remove_pod(object, name, is_counted, job.events);
      result = outcome::changed;
    }
    for (int index : plan.create) {
      if (!writer_.may_write()) {
        queue_.add(job.ns, uid);
        return result;
      }
      if (!pod_turns_.take(job.ns, uid, state_.now()))
        return result; // wake_next_job says when.
      if (!writer_.create_pod(object, index, job.events))
        return outcome::failed;
      result = outcome::changed;
    }
    return result;
  }

  // -- pods without a Job -----------------------------------------------------

  /// Pods whose Job is gone: nobody counts them.
  void release_orphans() {
    while (!orphans_.empty() && writer_.may_write()) {
      auto key = *orphans_.begin();
      orphans_.erase(orphans_.begin());
      try {
        value_cache::pin pinned{state_.objects.parsed_values()};
        writer_.release_pod(key);
      } catch (const database_error&) {
        orphans_.insert(key);
        return;
      }
    }
  }

  server_state& state_;
  job_writer writer_;
  bool is_loaded_ = false;
  std::map<std::string, controlled_job> jobs_; ///< By UID.
  std::set<std::pair<time_point, std::string>> timers_;
  job_pod_turns pod_turns_;
  std::set<std::string> orphans_; ///< Keys of pods.
  job_queue queue_;
  std::string uid_in_turn_;
};

} // namespace

std::unique_ptr<job_controller> make_job_controller(server_state& state) {
  return std::make_unique<store_job_controller>(state);
}

} // namespace troupe::k8s::apiserver
