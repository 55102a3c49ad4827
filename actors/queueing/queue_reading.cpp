#include "actors/queueing/queue_reading.hpp"

#include "k8s/calls.hpp"
#include "k8s/json.hpp"
#include "k8s/text.hpp"

namespace troupe::actors {

namespace {

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

k8s::request places_request(const std::string& ns, const std::string& queue) {
  auto r = k8s::get({served_queues, ns, queue});
  r.path += "/pendingworkloads?limit=" + std::to_string(most_places);
  return r;
}

} // namespace

std::optional<k8s::request> queue_reading::begin(k8s::time_point now) {
  forget_what_was_read();
  at_ = part::local_queue;
  return next_call(now);
}

void queue_reading::forget_what_was_read() {
  read_at_.reset();
  cluster_queue_.clear();
  stopped_.clear();
  places_.clear();
  has_more_places_ = false;
}

std::optional<k8s::request> queue_reading::next_call(k8s::time_point now) {
  for (; at_ != part::end; at_ = static_cast<part>(static_cast<int>(at_) + 1)) {
    auto& held_until = held_until_[static_cast<std::size_t>(at_)];
    if (held_until > now + seldom)
      held_until = {}; // The clock was set.
    if (held_until > now)
      continue;
    if (at_ == part::local_queue)
      return k8s::get({local_queues, ns_, queue_});
    if (at_ == part::place)
      return places_request(ns_, queue_);
    if (!cluster_queue_.empty())
      return k8s::get({cluster_queues, "", cluster_queue_});
  }
  read_at_ = now;
  return std::nullopt;
}

std::optional<k8s::request>
queue_reading::on_answer(const k8s::result<std::string>& answer,
                         k8s::time_point now) {
  if (at_ == part::end)
    return std::nullopt;
  if (!answer) {
    auto code = answer.error().code;
    // A queue that is not there may be made at any time.
    bool is_not_served = code == k8s::ec::not_found && at_ == part::place;
    if (code == k8s::ec::forbidden || is_not_served)
      held_until_[static_cast<std::size_t>(at_)] = now + seldom;
  } else if (at_ == part::local_queue) {
    cluster_queue_ = k8s::text_at(k8s::parse_json_or_null(*answer),
                                  {"spec", "clusterQueue"});
    read_queue(*answer, "LocalQueue", queue_);
  } else if (at_ == part::cluster_queue) {
    read_queue(*answer, "ClusterQueue", cluster_queue_);
  } else {
    read_places(*answer);
  }
  at_ = static_cast<part>(static_cast<int>(at_) + 1);
  return next_call(now);
}

void queue_reading::read_queue(const std::string& text, const char* kind,
                               const std::string& name) {
  if (!stopped_.empty())
    return;
  const auto object = k8s::parse_json_or_null(text);
  auto subject = std::string{kind} + " " + name;
  auto policy = k8s::text_at(object, {"spec", "stopPolicy"});
  if (!policy.empty() && policy != "None") {
    stopped_ = subject + " is stopped (" + policy + ")";
    return;
  }
  for (const auto& c : k8s::array_at(object, {"status", "conditions"}))
    if (k8s::text_at(c, {"type"}) == "Active"
        && k8s::text_at(c, {"status"}) == "False")
      stopped_ =
          subject + " is inactive: "
          + k8s::shorten_text(k8s::text_at(c, {"message"}), most_message_bytes);
}

void queue_reading::read_places(const std::string& text) {
  const auto summary = k8s::parse_json_or_null(text);
  const auto& items = k8s::array_at(summary, {"items"});
  for (const auto& item : items) {
    auto in_local_queue = k8s::int64_at(item, {"positionInLocalQueue"});
    auto in_cluster_queue = k8s::int64_at(item, {"positionInClusterQueue"});
    if (in_local_queue && in_cluster_queue && places_.size() < most_places)
      places_[k8s::text_at(item, {"metadata", "name"})] = {*in_local_queue,
                                                           *in_cluster_queue};
  }
  has_more_places_ = items.size() >= most_places;
}

core::queue_news queue_reading::news_of(const std::string& workload) const {
  core::queue_news result;
  result.stopped = stopped_;
  if (auto i = places_.find(workload); i != places_.end()) {
    result.place = i->second.in_local_queue + 1;
    result.place_in_cluster_queue = i->second.in_cluster_queue + 1;
  } else if (has_more_places_) {
    result.is_beyond = most_places;
  }
  return result;
}

} // namespace troupe::actors
