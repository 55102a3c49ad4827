#include "frameworks/core/waiting/shown_summary.hpp"

#include "frameworks/core/waiting/queue_standing.hpp"
#include "frameworks/core/waiting/reason_parts.hpp"
#include "frameworks/core/waiting/waiting_native_gang.hpp"

namespace troupe::core {

namespace {

/// In place of "waits for": on a narrow terminal only the begin is seen.
std::string with_place(const std::string& summary, const queue_standing& s) {
  const std::string waits = "waits for ";
  auto begin = waits + "queue " + s.queue + " of Kueue";
  if (!s.news.place || summary.compare(0, begin.size(), begin) != 0)
    return summary;
  return "number " + std::to_string(*s.news.place) + " in "
         + summary.substr(waits.size());
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
    return "waits for " + gang->what;
  return summary;
}

} // namespace troupe::core
