#pragma once

#include <cstdint>
#include <string>

namespace troupe::cli {

/// Why a program may have ended with this exit code, for those that shells and
/// kernels give: 127, or 128 and a signal. "" for a program's own.
std::string likely_exit_cause(std::int64_t exit_code);

} // namespace troupe::cli
