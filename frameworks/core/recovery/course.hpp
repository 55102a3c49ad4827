#pragma once

#include "frameworks/core/recovery/losses.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::core {

// The restart of a replica type, or of all of a job, as one attempt:
//
//   decided   the status that says so is not saved yet
//   saved     it is; no pod of the scope has been stopped
//   stopping  pods of the scope are being deleted, or are in deletion
//   stopped   none is left; the next may have to wait for its back-off
//   starting  pods of the new attempt are made, until all of the job run
//
// A pod of the new attempt is never made while one of an older attempt is left
// in its scope, or is being created.

enum class restart_stage : std::uint8_t {
  none,
  decided,
  saved,
  stopping,
  stopped,
  starting,
};

/// "stopping".
const char* to_string(restart_stage s);

restart_stage stage_of_restart(const restart_state& s);

/// Whether pods of this type must not be made yet, because a restart has not
/// come that far.
bool is_type_held_by_restart(const restart_state& s, const replica_spec& type);

/// Whether the pods of older attempts may be deleted: why is saved.
bool may_stop_older_attempts(const restart_state& s);

/// When the pods of the latest attempt may be made, after attempts that ended
/// early; nullopt: at once.
std::optional<time_point> delayed_start_of_attempt(const recovery_status& r);

/// Why the job fails instead of being restarted once more, or "".
/// `pod_restarts`: those that count against backoffLimit already.
std::string exceeded_restart_budget(const job& j, const recovery_status& r,
                                    std::int64_t pod_restarts, time_point now);

/// The attempts after this decision.
recovery_status begin_attempt(const restart_state& s,
                              const restart_decision& why);

} // namespace troupe::core
