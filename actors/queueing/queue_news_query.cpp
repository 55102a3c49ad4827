#include "actors/queueing/queue_news_query.hpp"

#include "frameworks/core/pass/queueing.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

constexpr std::chrono::seconds first_news_pause{20};
constexpr std::chrono::minutes longest_news_pause{15};
/// Jobs that all wait since before we started do not ask all at once.
constexpr std::chrono::seconds most_jitter{30};

std::chrono::seconds pause_after(int asked) {
  return std::min<std::chrono::seconds>(
      first_news_pause * (1 << std::min(asked, 6)), longest_news_pause);
}

k8s::time_point begin_of_wait(const core::child_view& workload) {
  const auto& reserved = workload.content->workload->quota_reserved;
  return reserved ? reserved->since : workload.created;
}

} // namespace

queue_news_query::step queue_news_query::begin_if_due(
    const core::job& j, const core::observed_children& seen,
    const core::cluster_options& cluster, k8s::time_point now, double jitter) {
  const auto* workload = core::find_workload_without_quota(j, seen, cluster);
  if (!workload) {
    asked_ = 0;
    not_before_ = {};
    news_ = {};
    return {};
  }
  if (in_flight_)
    return {};
  // The wall clock may have been set back since.
  last_ = std::min(last_, now);
  not_before_ = std::min<k8s::time_point>(not_before_, now + most_jitter);
  auto due =
      (asked_ == 0 ? begin_of_wait(*workload) : last_) + pause_after(asked_);
  if (asked_ == 0 && due + most_jitter < now
      && not_before_ == k8s::time_point{})
    not_before_ = now
                  + std::chrono::duration_cast<k8s::time_point::duration>(
                      jitter * most_jitter);
  due = std::max(due, not_before_);
  if (due > now)
    return {std::nullopt, due};
  in_flight_ = true;
  const auto& queue = workload->content->workload->queue;
  return {question{queue, workload->name}, std::nullopt};
}

void queue_news_query::on_answer(core::queue_news news, k8s::time_point now) {
  if (!std::exchange(in_flight_, false))
    return;
  last_ = now;
  ++asked_;
  news_ = std::move(news);
}

} // namespace troupe::actors
