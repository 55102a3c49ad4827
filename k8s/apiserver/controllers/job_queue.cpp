#include "k8s/apiserver/controllers/job_queue.hpp"

#include <algorithm>

namespace troupe::k8s::apiserver {

void job_queue::add(const std::string& ns, const std::string& uid) {
  if (!waiting_.insert(uid).second)
    return;
  auto [jobs, is_new] = jobs_.try_emplace(ns);
  jobs->second.push_back(uid);
  if (is_new)
    namespaces_.push_back(ns);
}

std::optional<std::string> job_queue::take() {
  if (namespaces_.empty())
    return std::nullopt;
  auto ns = std::move(namespaces_.front());
  namespaces_.pop_front();
  auto jobs = jobs_.find(ns);
  auto uid = std::move(jobs->second.front());
  jobs->second.pop_front();
  if (jobs->second.empty())
    jobs_.erase(jobs);
  else
    namespaces_.push_back(std::move(ns));
  waiting_.erase(uid);
  return uid;
}

bool job_allowance::take(time_point now) {
  // A clock that was set back adds nothing.
  std::chrono::duration<double> past = now - std::max(at_, time_point{});
  if (past.count() > 0)
    left_ = std::min(most_, left_ + past.count() * per_second_);
  at_ = now;
  if (left_ < 1)
    return false;
  left_ -= 1;
  return true;
}

time_point job_allowance::next() const {
  auto wait = std::chrono::duration<double>((1 - left_) / per_second_);
  return at_
         + std::chrono::ceil<std::chrono::milliseconds>(
             std::max(wait, std::chrono::duration<double>{0}));
}

bool job_pod_turns::take(const std::string& ns, const std::string& uid,
                         time_point now) {
  auto& n = namespaces_[ns];
  bool is_first = n.order.empty() || n.order.front() == uid;
  if (is_first && n.allowance.take(now)) {
    if (!n.order.empty())
      n.order.pop_front();
    n.waiting.erase(uid);
    return true;
  }
  if (n.waiting.insert(uid).second)
    n.order.push_back(uid);
  return false;
}

void job_pod_turns::leave(const std::string& ns, const std::string& uid) {
  auto i = namespaces_.find(ns);
  if (i == namespaces_.end() || i->second.waiting.erase(uid) == 0)
    return;
  auto& order = i->second.order;
  order.erase(std::find(order.begin(), order.end(), uid));
}

std::optional<std::pair<std::string, time_point>>
job_pod_turns::next(const std::string& ns) const {
  auto i = namespaces_.find(ns);
  if (i == namespaces_.end() || i->second.order.empty())
    return std::nullopt;
  return std::pair{i->second.order.front(), i->second.allowance.next()};
}

} // namespace troupe::k8s::apiserver
