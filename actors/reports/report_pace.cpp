#include "actors/reports/report_pace.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::actors {

bool report_pace::admit(const std::string& pod_uid, time_point now) {
  if (pods_.size() >= most_pods && pods_.count(pod_uid) == 0) {
    if (now - forgot_at_ < interval)
      return false;
    forgot_at_ = now;
    for (auto i = pods_.begin(); i != pods_.end();)
      i = i->second.rested_at <= now ? pods_.erase(i) : std::next(i);
    if (pods_.size() >= most_pods)
      return false;
  }
  auto& rested = pods_[pod_uid].rested_at;
  auto next = std::max(rested, now) + interval;
  if (next - now > most_at_once * interval)
    return false;
  rested = next;
  return true;
}

void report_pace::note_taken(const std::string& pod_uid,
                             const std::string& with) {
  if (auto i = pods_.find(pod_uid); i != pods_.end())
    i->second.with = with;
}

bool report_pace::was_taken(const std::string& pod_uid,
                            const std::string& with) const {
  auto i = pods_.find(pod_uid);
  return i != pods_.end() && i->second.with == with;
}

} // namespace troupe::actors
