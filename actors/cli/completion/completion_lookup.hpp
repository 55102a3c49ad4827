#pragma once

#include "actors/cli/completion/completion_values.hpp"

namespace troupe::cli {

/// Prints the possible values for a script of completion_script(), one per
/// line. If it has to ask the cluster or the operator, it waits only a short
/// time and reports no errors. If the shell itself has to find the values, the
/// only line says so: ":files", ":directories" or ":nothing". Returns the exit
/// code.
int print_offered_values(const value_question& q);

} // namespace troupe::cli
