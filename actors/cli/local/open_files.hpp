#pragma once

#include <cstddef>

namespace troupe::cli {

/// Lets this process, and the programs that it starts, have as many open files
/// as the system allows; returns how many that are.
std::size_t raise_open_file_limit();

} // namespace troupe::cli
