#include "frameworks/core/waiting/shown_summary.hpp"

#include "frameworks/core/waiting/queue_standing.hpp"
#include "frameworks/core/waiting/reason_parts.hpp"
#include "frameworks/core/waiting/waiting_native_gang.hpp"

namespace troupe::core {

namespace {

std::string with_place(std::string summary, const queue_standing& s) {
  auto begin = "waits for queue " + s.queue + " of Kueue";
  if (s.news.place && summary.compare(0, begin.size(), begin) == 0)
    summary.insert(begin.size(),
                   ", number " + std::to_string(*s.news.place) + " in it");
  return summary;
}

std::string with_pods_that_hold_quota(std::string summary,
                                      const queue_standing& s) {
  if (s.pods_with_quota == 0 || s.at != queue_standing::phase::leaving)
    return summary;
  auto pods = pluralize(s.pods_with_quota, "pod");
  // First, as what Kueue says may be long.
  return pods + (s.pods_with_quota == 1 ? " still holds" : " still hold")
         + " quota; " + summary;
}

} // namespace

std::string shown_summary(const std::string& summary,
                          const waiting_inputs& in) {
  if (in.status.is_finished())
    return summary;
  if (auto s = find_queue_standing(in))
    return with_pods_that_hold_quota(with_place(summary, *s), *s);
  if (auto gang = waiting_for_native_gang(in))
    return summary.substr(0, summary.find("; ")) + "; waits for " + gang->what;
  return summary;
}

} // namespace troupe::core
