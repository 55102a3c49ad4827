#pragma once

#include "frameworks/core/base/json.hpp"
#include "frameworks/core/model/recovery_status.hpp"

#include <cstddef>

namespace troupe::core {

// The part of a status that is about attempts, in the status itself and in the
// annotation that stands for it. Only for sources.

// Limits on what is read, which somebody else may have written.
inline constexpr std::size_t max_restart_times = 1'000;
inline constexpr std::size_t max_index_text_bytes = 64 * 1024;
inline constexpr std::size_t max_last_restart_text_bytes = 4'096;

/// Adds restartAttempt, lastRestart, countedRestarts, restartTimes and
/// replicaStatuses[*].restartAttempt. What is empty is left out.
void add_attempts_json(json& status, const recovery_status& r);
/// Adds replicaStatuses[*].completedIndexes.
void add_completed_json(json& status, const recovery_status& r);
/// What add_completed_json() adds: if there are so many gaps that they take
/// more than max_index_text_bytes, or the replicas of a type are more than
/// 10,000 ranges, the first ones. Replicas whose success is not kept run once
/// more if their pods are deleted.
void keep_writable_completed(recovery_status& r);

/// Reads both. Total: what is not understood is empty.
recovery_status read_recovery_json(const json& status);

} // namespace troupe::core
