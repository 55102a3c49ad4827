#pragma once

#include <cstdint>
#include <string>

namespace troupe::cli {

/// Why a program may have ended with this exit code, if shells or kernels give
/// it: 126, 127, or 128 plus a signal. "" for any other code.
std::string likely_exit_cause(std::int64_t exit_code);

} // namespace troupe::cli
