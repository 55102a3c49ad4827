#include "actors/metrics/queue_metrics.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

const histogram_bounds& admission_bounds() {
  static const histogram_bounds all{1,   2,   5,    10,   30,    60,    120,
                                    300, 600, 1800, 3600, 10800, 43200, 86400};
  return all;
}

const std::pair<std::string, std::string> the_others{"", "other"};

metric_labels labels_of(const std::pair<std::string, std::string>& queue) {
  return {{"job_namespace", queue.first}, {"queue", queue.second}};
}

prometheus::MetricFamily make_gauge_family(const char* name, const char* help) {
  return {name, help, prometheus::MetricType::Gauge, {}};
}

void add_value(prometheus::MetricFamily& family, const metric_labels& labels,
               double value) {
  prometheus::ClientMetric m;
  for (const auto& [name, text] : labels)
    m.label.push_back({name, text});
  m.gauge.value = value;
  family.metric.push_back(std::move(m));
}

} // namespace

queue_metrics::queue_metrics(prometheus::Registry& r)
    : to_admission_(add_histogram_family(
        r, "troupe_queue_admission_seconds",
        "Time that jobs were held until their queue admitted them; of more "
        "than 100 queues, the later ones are other")) {
  // Rates need a first value.
  queues_.insert(the_others);
  to_admission_.Add(labels_of(the_others), admission_bounds());
}

queue_metrics::queue queue_metrics::bounded(const std::string& ns,
                                            const std::string& name) {
  queue key{ns, name};
  if (queues_.count(key) > 0)
    return key;
  if (queues_.size() > most_queues) // With the others.
    return the_others;
  queues_.insert(key);
  return key;
}

void queue_metrics::set_use(const void* job, const std::string& ns,
                            const core::queue_use& use, k8s::time_point now) {
  std::unique_lock guard{mutex_};
  if (use.queue.empty()) {
    jobs_.erase(job);
    return;
  }
  auto [i, is_new] = jobs_.try_emplace(job);
  auto& known = i->second;
  auto was_held = known.is_held;
  auto held_since = known.held_since;
  if (is_new || !was_held)
    known.of = bounded(ns, use.queue);
  if (use.is_held)
    known.held_since =
        was_held ? std::min(held_since, use.held_since) : use.held_since;
  known.is_held = use.is_held;
  if (!use.awaits_release)
    known.release_since.reset();
  else if (use.release_due)
    known.release_since = use.release_due;
  else if (!known.release_since)
    known.release_since = now;
  auto of = known.of;
  guard.unlock();
  // One that was admitted before this process saw it has waited elsewhere.
  if (was_held && use.admitted_at) {
    std::chrono::duration<double> waited = *use.admitted_at - held_since;
    to_admission_.Add(labels_of(of), admission_bounds())
        .Observe(std::max(0.0, waited.count()));
  }
}

void queue_metrics::forget(const void* job) {
  std::lock_guard guard{mutex_};
  jobs_.erase(job);
}

void queue_metrics::set_releases_of_gone_jobs(
    std::size_t count, std::optional<k8s::time_point> oldest) {
  std::lock_guard guard{mutex_};
  gone_ = count;
  oldest_gone_ = oldest;
}

std::vector<prometheus::MetricFamily>
queue_metrics::collect_families(k8s::time_point now) const {
  std::map<queue, std::size_t> held;
  std::size_t awaiting = 0;
  auto oldest = now;
  {
    std::lock_guard guard{mutex_};
    for (const auto& one : queues_)
      held[one];
    for (const auto& [job, one] : jobs_) {
      held[one.of] += one.is_held ? 1 : 0;
      if (!one.release_since)
        continue;
      ++awaiting;
      oldest = std::min(oldest, *one.release_since);
    }
    awaiting += gone_;
    oldest = std::min(oldest, oldest_gone_.value_or(now));
  }
  auto jobs = make_gauge_family(
      "troupe_jobs_held", "Jobs that a queue of Kueue's holds; of more than "
                          "100 queues, the later ones are other");
  for (const auto& [of, count] : held)
    add_value(jobs, labels_of(of), static_cast<double>(count));
  auto releases = make_gauge_family(
      "troupe_kueue_workloads_awaiting_release",
      "Workloads of jobs that were evicted or deleted, whose quota is given "
      "back when the last pod is gone");
  add_value(releases, {}, static_cast<double>(awaiting));
  auto age = make_gauge_family(
      "troupe_kueue_oldest_release_seconds",
      "Since when the oldest of these waits, 0 if there is none");
  std::chrono::duration<double> seconds = now - oldest;
  add_value(age, {}, seconds.count());
  return {std::move(jobs), std::move(releases), std::move(age)};
}

} // namespace troupe::actors
