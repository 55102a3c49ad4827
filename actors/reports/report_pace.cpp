#include "actors/reports/report_pace.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::actors {

bool report_pace::admit(const std::string& pod_uid, time_point now) {
  if (rested_at_.size() >= most_pods)
    for (auto i = rested_at_.begin(); i != rested_at_.end();)
      i = i->second <= now ? rested_at_.erase(i) : std::next(i);
  auto& rested = rested_at_[pod_uid];
  auto next = std::max(rested, now) + interval;
  if (next - now > most_at_once * interval)
    return false;
  rested = next;
  return true;
}

} // namespace troupe::actors
