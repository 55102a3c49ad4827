#include "actors/metrics/job_metrics.hpp"

#include "actors/metrics/families.hpp"
#include "frameworks/core/model/status.hpp"

#include <prometheus/metric_type.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

namespace troupe::actors {

using prometheus::ClientMetric;
using prometheus::Histogram;
using prometheus::MetricFamily;
using prometheus::MetricType;

namespace {

/// The first one is a job without a condition.
constexpr const char* job_states[] = {"Pending",
                                      core::condition_type::created,
                                      core::condition_type::running,
                                      core::condition_type::restarting,
                                      core::condition_type::stalled,
                                      core::condition_type::suspended,
                                      core::condition_type::succeeded,
                                      core::condition_type::failed};

std::size_t index_of_state_or_pending(std::string_view name) {
  const auto* found =
      std::find(std::begin(job_states), std::end(job_states), name);
  return found == std::end(job_states)
             ? 0
             : static_cast<std::size_t>(found - std::begin(job_states));
}

const Histogram::BucketBoundaries& startup_bounds() {
  static const Histogram::BucketBoundaries all{.5, 1,   2,   5,   10,   20,  30,
                                               60, 120, 300, 600, 1800, 3600};
  return all;
}

const Histogram::BucketBoundaries& recovery_bounds() {
  static const Histogram::BucketBoundaries all{
      1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200};
  return all;
}

ClientMetric make_counter_value(const std::string& framework,
                                std::chrono::duration<double> value) {
  ClientMetric m;
  m.label = {{"framework", framework}};
  m.counter.value = value.count();
  return m;
}

ClientMetric make_gauge_value(std::vector<ClientMetric::Label> label,
                              double value) {
  ClientMetric m;
  m.label = std::move(label);
  m.gauge.value = value;
  return m;
}

constexpr auto no_time = std::numeric_limits<k8s::time_point::rep>::max();

} // namespace

/// One job's part.
class job_gauges : public job_meter {
public:
  job_gauges(job_metrics& all, const char* name)
      : framework(name)
      , all_(all)
      , to_all_pods_(
            all.to_all_pods_.Add({{"framework", name}}, startup_bounds()))
      , to_running_(
            all.to_running_.Add({{"framework", name}}, startup_bounds()))
      , recovery_(
            all.recoveries_.Add({{"framework", name}}, recovery_bounds())) {
    bool is_first = false;
    {
      std::lock_guard guard{all_.mutex_};
      all_.jobs_.insert(this);
      is_first = all_.frameworks_.insert(name).second;
    }
    if (is_first) // Rates need a first value.
      for (const char* scope : {"Job", "ReplicaType"})
        for (auto cause : core::all_restart_causes)
          restarts_of(scope, cause);
  }

  ~job_gauges() override {
    all_.queues_.forget(this);
    std::lock_guard guard{all_.mutex_};
    all_.jobs_.erase(this);
    all_.launchers_.erase(this);
    all_.progress_.erase(this);
  }

  job_gauges(const job_gauges&) = delete;
  job_gauges& operator=(const job_gauges&) = delete;

  void set_state(std::string_view condition) override {
    state = index_of_state_or_pending(condition);
  }

  void set_expectations(std::size_t count,
                        std::optional<k8s::time_point> since) override {
    expectations = count;
    oldest = since ? since->time_since_epoch().count() : no_time;
  }

  void set_launcher_job(const std::string& ns,
                        const std::string& name) override {
    std::lock_guard guard{all_.mutex_};
    all_.launchers_[this] = {ns, name};
  }

  void set_progress(const std::string& ns, const std::string& name,
                    std::optional<std::int32_t> percent) override {
    if (percent == percent_) // Nobody else writes it.
      return;
    percent_ = percent;
    std::lock_guard guard{all_.mutex_};
    if (!percent)
      all_.progress_.erase(this);
    else if (auto known = all_.progress_.find(this);
             known != all_.progress_.end())
      known->second.percent = *percent;
    else if (all_.progress_.size() < job_metrics::most_progress)
      all_.progress_.emplace(this, job_metrics::progress{ns, name, *percent});
    else
      percent_.reset(); // There may be room when it says more.
  }

  void set_queue_use(const std::string& ns, const core::queue_use& use,
                     k8s::time_point now) override {
    if (use == queue_use_) // Nobody else writes it.
      return;
    queue_use_ = use;
    all_.queues_.set_use(this, ns, use, now);
  }

  void observe_time_to_all_pods(double seconds) override {
    to_all_pods_.Observe(seconds);
  }

  void observe_time_to_running(double seconds) override {
    to_running_.Observe(seconds);
  }

  void set_activity(core::job_activity activity, k8s::time_point now) override {
    if (activity == activity_) // Nobody else writes it.
      return;
    std::lock_guard guard{all_.mutex_};
    add_time_until(now);
    activity_ = activity;
  }

  void count_recovery(const core::recovery_counts& counts) override {
    if (counts.restarted)
      restarts_of(counts.restarted->scope, counts.restarted->cause).Increment();
    if (counts.recovered_after)
      recovery_.Observe(counts.recovered_after->count());
  }

  /// Of what it does now; the mutex is locked. The clock may be set back.
  void add_time_until(k8s::time_point now) {
    if (activity_ != core::job_activity::idle && now > counted_until_) {
      auto& sum = all_.activity_[framework];
      (activity_ == core::job_activity::all_running ? sum.all_running
                                                    : sum.lost) +=
          now - counted_until_;
    }
    counted_until_ = now;
  }

  const char* const framework;
  std::atomic<std::size_t> state{0};
  std::atomic<std::size_t> expectations{0};
  std::atomic<k8s::time_point::rep> oldest{no_time};

private:
  prometheus::Counter& restarts_of(const char* scope,
                                   core::restart_cause cause) {
    return all_.restarts_.Add({{"framework", framework},
                               {"scope", scope},
                               {"cause", to_string(cause)}});
  }

  job_metrics& all_;
  Histogram& to_all_pods_;
  Histogram& to_running_;
  Histogram& recovery_;
  core::job_activity activity_ = core::job_activity::idle;
  std::optional<std::int32_t> percent_;
  core::queue_use queue_use_;
  k8s::time_point counted_until_{}; ///< Under the mutex.
};

job_metrics::job_metrics(prometheus::Registry& r)
    : to_all_pods_(add_histogram_family(
        r, "troupe_job_pods_created_seconds",
        "Time from the creation of a job until all its pods were created"))
    , to_running_(add_histogram_family(
          r, "troupe_job_running_seconds",
          "Time from the creation of a job to its condition Running"))
    , recoveries_(add_histogram_family(
          r, "troupe_job_recovery_seconds",
          "Time from a failure that restarted a job, or replica types of it, "
          "until all replicas ran again"))
    , restarts_(add_counter_family(
          r, "troupe_job_restarts_total",
          "Attempts that jobs began because pods were lost; scope: what was "
          "restarted"))
    , queues_(r) {}

std::unique_ptr<job_meter> job_metrics::add_job_meter(const char* framework) {
  return std::make_unique<job_gauges>(*this, framework);
}

std::vector<MetricFamily>
job_metrics::collect_families(k8s::time_point now) const {
  std::map<std::string, std::array<std::size_t, std::size(job_states)>> counts;
  std::size_t expectations = 0;
  auto oldest = no_time;
  // A job and its successor of the same name may be here for a moment.
  std::set<std::pair<std::string, std::string>> launchers;
  std::map<std::string, core::activity_times> activity;
  std::map<std::array<std::string, 3>, std::int32_t> percents;
  {
    std::lock_guard guard{mutex_};
    for (const auto& [job, told] : progress_)
      percents[{job->framework, told.name, told.ns}] = told.percent;
    for (const auto& [job, launcher] : launchers_)
      launchers.emplace(launcher.ns, launcher.name);
    for (const auto& framework : frameworks_)
      counts[framework] = {};
    for (const auto& framework : frameworks_)
      activity_[framework];
    for (auto* job : jobs_) {
      job->add_time_until(now);
      ++counts[job->framework][job->state];
      expectations += job->expectations;
      oldest = std::min(oldest, job->oldest.load());
    }
    activity = activity_;
  }
  MetricFamily jobs{"troupe_jobs",
                    "Jobs by framework and by the last condition that is true",
                    MetricType::Gauge,
                    {}};
  for (const auto& [framework, by_state] : counts)
    for (std::size_t i = 0; i < by_state.size(); ++i)
      jobs.metric.push_back(
          make_gauge_value({{"framework", framework}, {"state", job_states[i]}},
                           static_cast<double>(by_state[i])));
  MetricFamily mpi{"mpi_operator_job_info",
                   "Information about MPIJob",
                   MetricType::Gauge,
                   {}};
  for (const auto& [ns, name] : launchers)
    mpi.metric.push_back(
        make_gauge_value({{"launcher", name}, {"namespace", ns}}, 1));
  MetricFamily ratios{"troupe_job_progress_ratio",
                      "How far jobs say that they are, 0 to 1; of jobs that "
                      "report and have not ended, at most 1000",
                      MetricType::Gauge,
                      {}};
  for (const auto& [job, percent] : percents)
    ratios.metric.push_back(make_gauge_value(
        {{"framework", job[0]}, {"job", job[1]}, {"job_namespace", job[2]}},
        percent / 100.0));
  MetricFamily all_running{"troupe_job_all_running_seconds_total",
                           "Time in which all replicas of jobs ran or were "
                           "done",
                           MetricType::Counter,
                           {}};
  MetricFamily lost{"troupe_job_lost_seconds_total",
                    "Time in which jobs that had begun to run, and had neither "
                    "ended nor were suspended, lacked a replica",
                    MetricType::Counter,
                    {}};
  for (const auto& [framework, times] : activity) {
    all_running.metric.push_back(
        make_counter_value(framework, times.all_running));
    lost.metric.push_back(make_counter_value(framework, times.lost));
  }
  std::chrono::duration<double> age{0};
  if (oldest != no_time)
    age = now - k8s::time_point{k8s::time_point::duration{oldest}};
  return {
      std::move(jobs),
      std::move(mpi),
      std::move(ratios),
      std::move(all_running),
      std::move(lost),
      {"troupe_expectations",
       "Orders to create, change or delete a child that have no result yet, or "
       "failed and wait for the next attempt",
       MetricType::Gauge,
       {make_gauge_value({}, static_cast<double>(expectations))}},
      {"troupe_oldest_expectation_age_seconds",
       "Age of the oldest of these orders, 0 if there is none",
       MetricType::Gauge,
       {make_gauge_value({}, age.count())}},
  };
}

} // namespace troupe::actors
