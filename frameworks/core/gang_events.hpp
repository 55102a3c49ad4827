#pragma once

#include "frameworks/core/job.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::core {

// Why Volcano does not admit a pod group: its scheduler says so in events on
// the group, and of a queue that is closed or not there in none at all.

/// In the words of an event.
struct gang_reason {
  std::string reason;
  std::string message;
};

/// The latest event on the object with this UID that says more than that its
/// pods wait for each other; else the latest that says that. `events`: a list
/// as the API server answers it.
std::optional<gang_reason> read_gang_events(std::string_view events,
                                            const std::string& uid);

/// Whether that is all a message says: that pods wait for each other.
bool only_counts_gang_members(std::string_view message);

/// What keeps a group from being admitted by its queue; `queue`: the object, or
/// nullopt if there is none of that name.
std::optional<gang_reason>
read_gang_queue(const std::string& name,
                const std::optional<std::string>& queue);

/// When to ask: half a minute after `since`, when the job began to wait, and
/// then, counted from `last`, after twice as long each time, up to ten minutes.
time_point next_gang_inquiry_at(time_point since, time_point last, int looks);

} // namespace troupe::core
