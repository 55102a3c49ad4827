#pragma once

#include <string>

namespace troupe::config {

/// Why the setting of this name has its default, as one clause; "" if there is
/// no such setting.
const char* default_reason(const std::string& name);

} // namespace troupe::config
