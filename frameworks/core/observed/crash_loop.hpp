#pragma once

#include "frameworks/core/model/job.hpp"
#include "frameworks/core/observed/observed.hpp"

#include <optional>
#include <string>

namespace troupe::core {

/// A container that has run for this time has no back-off any more, so it is
/// not in a crash loop.
inline constexpr std::chrono::minutes end_of_crash_loop{10};

/// The crash loop of a pod's container, the one that was restarted most often:
/// its kubelet says so (CrashLoopBackOff), or it was restarted twice or more,
/// its last run was shorter than `end_of_crash_loop`, and it runs or is about
/// to. `spec`, nullptr if it is not known, says which containers are restarted,
/// and which init containers are ours and only wait.
std::optional<crash_loop>
find_most_restarted_container_loop(const k8s::pod_state& state,
                                   const replica_spec* spec);

/// The crash loop in which a pod is at `now`: that of its container; or pods of
/// its replica have failed within seconds of their start twice or more in a
/// row, and this one has failed so, too, or has not run for longer.
std::optional<crash_loop> find_crash_loop(const child_view& pod,
                                          time_point now);

/// When a pod that is in a crash loop at `now` and runs will not be in one any
/// more; nullopt if something else has to happen for that.
std::optional<time_point> crash_loop_ends_at(const child_view& pod,
                                             time_point now);

/// "crash loop, 5 restarts of tensorflow, last exit code 137 (OOMKilled), next
/// try at 12:01:00 UTC".
std::string describe_crash_loop(const crash_loop& loop);

} // namespace troupe::core
