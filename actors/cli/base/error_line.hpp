#pragma once

#include <string>

namespace troupe::cli {

/// Writes to standard error, with control characters as escapes.
void print_error_line(const std::string& text);

} // namespace troupe::cli
