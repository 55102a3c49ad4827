#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::config {

/// The words of which a setting's value has to be one; none if it may be
/// another text, a number, or a switch.
std::vector<std::string> setting_choices(std::string_view name);

} // namespace troupe::config
