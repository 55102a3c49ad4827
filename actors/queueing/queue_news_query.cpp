#include "actors/queueing/queue_news_query.hpp"

#include "frameworks/core/pass/queueing.hpp"
#include "k8s/calls.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

constexpr std::chrono::seconds first_news_pause{20};
constexpr std::chrono::minutes longest_news_pause{15};
/// Jobs that all wait since before we started do not ask all at once.
constexpr std::chrono::seconds most_jitter{30};
/// What is refused or not served stays so for some time.
constexpr std::chrono::hours seldom{1};
/// Of a queue, as many places are read; who is behind them waits long.
constexpr int most_places = 250;
constexpr std::size_t most_message_bytes = 512;

const k8s::resource local_queues{"kueue.x-k8s.io", "v1beta2", "localqueues",
                                 "LocalQueue"};
const k8s::resource cluster_queues{"kueue.x-k8s.io", "v1beta2", "clusterqueues",
                                   "ClusterQueue"};
const k8s::resource served_queues{"visibility.kueue.x-k8s.io", "v1beta2",
                                  "localqueues", "LocalQueue"};

k8s::request read_places(const std::string& ns, const std::string& queue) {
  auto r = k8s::get({served_queues, ns, queue});
  r.path += "/pendingworkloads?limit=" + std::to_string(most_places);
  return r;
}

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
  ns_ = j.ns;
  workload_ = workload->name;
  queue_ = workload->content->workload->queue;
  cluster_queue_.clear();
  found_ = {};
  at_ = part::local_queue;
  in_flight_ = true;
  return {next_call(now), std::nullopt};
}

std::optional<k8s::request> queue_news_query::next_call(k8s::time_point now) {
  for (;; at_ = static_cast<part>(static_cast<int>(at_) + 1)) {
    if (at_ == part::end)
      break;
    if (held_until_[static_cast<std::size_t>(at_)] > now + seldom)
      held_until_[static_cast<std::size_t>(at_)] = {}; // The clock was set.
    if (held_until_[static_cast<std::size_t>(at_)] > now)
      continue;
    if (at_ == part::local_queue)
      return k8s::get({local_queues, ns_, queue_});
    if (at_ == part::place)
      return read_places(ns_, queue_);
    if (!cluster_queue_.empty())
      return k8s::get({cluster_queues, "", cluster_queue_});
  }
  in_flight_ = false;
  last_ = now;
  ++asked_;
  news_ = std::move(found_);
  return std::nullopt;
}

std::optional<k8s::request>
queue_news_query::on_answer(const k8s::result<std::string>& answer,
                            k8s::time_point now) {
  if (at_ == part::end)
    return std::nullopt;
  if (!answer) {
    auto code = answer.error().code;
    if (code == k8s::ec::forbidden || code == k8s::ec::not_found)
      held_until_[static_cast<std::size_t>(at_)] = now + seldom;
  } else if (at_ == part::local_queue) {
    cluster_queue_ = k8s::text_at(k8s::parse_json_or_null(*answer),
                                  {"spec", "clusterQueue"});
    read_queue(*answer, "LocalQueue", queue_);
  } else if (at_ == part::cluster_queue) {
    read_queue(*answer, "ClusterQueue", cluster_queue_);
  } else {
    read_place(*answer);
  }
  at_ = static_cast<part>(static_cast<int>(at_) + 1);
  return next_call(now);
}

void queue_news_query::read_queue(const std::string& text, const char* kind,
                                  const std::string& name) {
  const auto object = k8s::parse_json_or_null(text);
  auto subject = std::string{kind} + " " + name;
  auto policy = k8s::text_at(object, {"spec", "stopPolicy"});
  if (!found_.stopped.empty())
    return;
  if (!policy.empty() && policy != "None") {
    found_.stopped = subject + " is stopped (" + policy + ")";
    return;
  }
  for (const auto& c : k8s::array_at(object, {"status", "conditions"}))
    if (k8s::text_at(c, {"type"}) == "Active"
        && k8s::text_at(c, {"status"}) == "False")
      found_.stopped =
          subject + " is inactive: "
          + k8s::shorten_text(k8s::text_at(c, {"message"}), most_message_bytes);
}

void queue_news_query::read_place(const std::string& text) {
  const auto summary = k8s::parse_json_or_null(text);
  const auto& items = k8s::array_at(summary, {"items"});
  for (const auto& item : items) {
    if (k8s::text_at(item, {"metadata", "name"}) != workload_)
      continue;
    auto place = k8s::int64_at(item, {"positionInLocalQueue"});
    auto in_cluster_queue = k8s::int64_at(item, {"positionInClusterQueue"});
    if (place && in_cluster_queue) { // From 0.
      found_.place = *place + 1;
      found_.place_in_cluster_queue = *in_cluster_queue + 1;
    }
    return;
  }
  if (items.size() >= most_places)
    found_.is_beyond = most_places;
}

} // namespace troupe::actors
