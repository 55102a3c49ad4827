#pragma once

#include "actors/cli/completion/completion_values.hpp"

namespace troupe::cli {

/// Prints for a script of completion_script() what may stand in the place of
/// the value, one in each line: asks the cluster or the operator if need be,
/// which it does in silence, and not for long. Where there is no answer, the
/// one line says who knows: ":files", ":directories" or ":nothing". The exit
/// code.
int print_offered_values(const value_question& q);

} // namespace troupe::cli
