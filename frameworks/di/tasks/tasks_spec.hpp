#pragma once

#include "frameworks/core/model/framework.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::frameworks::di::tasks {

// The spec of a DIJob of tasks (v2alpha1). Each task is one replica type of the
// job, in the order of the spec; a typed task without a name is named like its
// type.

/// The type of a task that is no learner, collector or evaluator; the default.
inline constexpr const char* untyped = "none";

void read_spec(core::job& out, const nlohmann::json& spec);

/// The type of the task with this name: "learner", or "none".
std::string type_of_task(const core::job& j, const std::string& task);

/// How often the job may be restarted; nullopt: without limit.
std::optional<std::int32_t> backoff_limit(const core::job& j);

/// Whether the end of a pod with exit code 143 is no failure.
bool is_preemptible(const core::job& j);

std::vector<core::field_error> find_task_errors(const std::string& job,
                                                const nlohmann::json& spec);

/// What is wrong with the tasks taken together, in the words of
/// DI-orchestrator; "" if nothing is.
std::string describe_task_conflict(const nlohmann::json& spec);

} // namespace troupe::frameworks::di::tasks
