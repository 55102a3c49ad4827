#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>

namespace troupe::core {

/// The environment variable with the number of the attempt, so that a program
/// knows that it has to go on from a checkpoint.
inline constexpr const char* attempt_variable = "TRAINING_RESTART_ATTEMPT";

/// Says in a pod, or a template of pods, that is otherwise complete of which
/// attempt of the job it is: in a label, and in the environment of all
/// containers and init containers whose template does not set the variable.
/// nullopt: nothing.
void set_pod_attempt(nlohmann::json& pod, std::optional<std::int32_t> attempt);

} // namespace troupe::core
