#include "frameworks/core/gangs/gang_events.hpp"

#include "frameworks/core/base/json.hpp"

#include <algorithm>

namespace troupe::core {

namespace {

constexpr seconds first_look{30};
constexpr seconds longest_pause{600};

/// When it was last emitted. Repeated events have that time in other fields.
time_point latest_time_in_event(const json& event) {
  time_point latest{};
  auto look = [&](const json& field) {
    if (auto t = k8s::from_rfc3339(text_at(field, {})))
      latest = std::max(latest, *t);
  };
  look(value_at(event, {"lastTimestamp"}));
  look(value_at(event, {"eventTime"}));
  look(value_at(event, {"series", "lastObservedTime"}));
  look(value_at(event, {"metadata", "creationTimestamp"}));
  return latest;
}

} // namespace

bool is_about_other_gang_members(std::string_view message) {
  for (auto part :
       {"tasks in gang unschedulable",        // Volcano
        "optimistic rejection in PostFilter", // scheduler-plugins
        "rejection in Unreserve", "rejected due to timeout after waiting",
        "cannot find enough sibling pods"})
    if (message.find(part) != message.npos)
      return true;
  return message.rfind("pod group is not ready", 0) == 0;
}

std::optional<gang_reason> most_telling_gang_reason(std::string_view events,
                                                    const std::string& uid) {
  std::optional<gang_reason> best;
  time_point best_time{};
  bool best_counts_only = false;
  const auto list = parse_json_or_null(events);
  const auto& items = value_at(list, {"items"});
  if (!items.is_array())
    return best;
  for (const auto& event : items) {
    auto message = text_at(event, {"message"});
    // A server that does not know the field selector sends all.
    if (message.empty() || text_at(event, {"involvedObject", "uid"}) != uid)
      continue;
    bool counts_only = is_about_other_gang_members(message);
    auto time = latest_time_in_event(event);
    bool better = !best || (best_counts_only && !counts_only)
                  || (best_counts_only == counts_only && time >= best_time);
    if (!better)
      continue;
    best = {text_at(event, {"reason"}, "Unschedulable"), message};
    best_time = time;
    best_counts_only = counts_only;
  }
  return best;
}

std::optional<gang_reason>
gang_reason_unless_queue_open(const std::string& name,
                              const std::optional<std::string>& queue) {
  if (!queue)
    return gang_reason{"Unschedulable", "queue " + name + " does not exist"};
  auto state = text_at(parse_json_or_null(*queue), {"status", "state"});
  if (state.empty() || state == "Open")
    return std::nullopt;
  return gang_reason{"Unschedulable", "the state of queue " + name + " is "
                                          + state + ", not Open"};
}

time_point next_gang_reason_query_at(time_point since, time_point last,
                                     int query_count) {
  if (query_count == 0)
    return since + first_look;
  auto pause =
      std::min(longest_pause, first_look * (1 << std::min(query_count, 6)));
  return last + pause;
}

} // namespace troupe::core
