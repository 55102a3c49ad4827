#pragma once

#include <string>

namespace troupe::config {

/// Why the setting of this name has its default, as one clause; "" if there is
/// no such setting.
const char* reason_for_default(const std::string& name);

} // namespace troupe::config
