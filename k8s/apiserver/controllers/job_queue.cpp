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

time_point job_allowance::next(time_point now) const {
  auto wait = std::chrono::duration<double>((1 - left_) / per_second_);
  return now
         + std::chrono::ceil<std::chrono::milliseconds>(
             std::max(wait, std::chrono::duration<double>{0}));
}

} // namespace troupe::k8s::apiserver
