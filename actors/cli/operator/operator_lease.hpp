#pragma once

#include "actors/process/root.hpp"
#include "config/settings.hpp"

#include <chrono>
#include <functional>
#include <optional>

namespace troupe::cli {

/// How this operator uses the Lease. With --leader-elect it writes only while
/// it holds the Lease. Without --leader-elect it holds the Lease to show that
/// it runs, and this function fails if another operator holds it. With
/// --ignore-lease it does neither. nullopt: it uses no Lease, perhaps because
/// it may not read and write Leases. Finding out whether another operator still
/// runs takes at most as long as its Lease is valid. `wait` waits for a
/// duration; it returns false if this process must end.
k8s::result<std::optional<actors::election_config>>
election_unless_other_operator_runs(
    k8s::api& client, const config::settings& s,
    const std::function<bool(std::chrono::milliseconds)>& wait);

} // namespace troupe::cli
