#pragma once

#include "actors/process/root.hpp"
#include "config/settings.hpp"

#include <chrono>
#include <functional>
#include <optional>

namespace troupe::cli {

/// How this operator uses the Lease. With --leader-elect it writes only while
/// it holds the Lease. Without, it holds the Lease to show that it runs, and
/// fails here if another operator does so (--ignore-lease: it does neither).
/// nullopt: it uses none; also if it may not read and write Leases.
///
/// Finding out whether another operator still runs takes as long as its Lease
/// is valid, at most. `wait` waits for so long; false: this process is to end.
k8s::result<std::optional<actors::election_config>>
election_unless_other_operator_runs(
    k8s::api& client, const config::settings& s,
    const std::function<bool(std::chrono::milliseconds)>& wait);

} // namespace troupe::cli
