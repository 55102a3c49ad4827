#pragma once

#include "frameworks/core/model/job.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::core {

// Why Volcano does not admit a pod group. Its scheduler emits events on the
// group, except if the queue is closed or does not exist.

/// The reason and message of an event.
struct gang_reason {
  std::string reason;
  std::string message;
};

/// The latest event on the object with this UID that says more than that its
/// pods wait for each other; if there is none, the latest of all. `events`: a
/// list as the API server returns it.
std::optional<gang_reason> most_telling_gang_reason(std::string_view events,
                                                    const std::string& uid);

/// Whether a message says only that pods wait for each other.
bool is_about_other_gang_members(std::string_view message);

/// Why the queue does not admit a group; `queue`: the object, or nullopt if
/// there is none of that name. nullopt: the queue is open.
std::optional<gang_reason>
gang_reason_unless_queue_open(const std::string& name,
                              const std::optional<std::string>& queue);

/// When to ask next: at first half a minute after `since`, when the job began
/// to wait; then, counted from `last`, after twice as long each time, up to ten
/// minutes.
time_point next_gang_reason_query_at(time_point since, time_point last,
                                     int query_count);

} // namespace troupe::core
