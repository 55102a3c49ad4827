#pragma once

#include <cstddef>

namespace troupe::cli {

/// Raises the limit of open files of this process, and of the programs that it
/// starts, to what the system allows. Returns the new limit.
std::size_t raise_open_file_limit();

} // namespace troupe::cli
