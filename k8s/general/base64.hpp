#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::k8s {

std::string to_base64(std::string_view bytes);

/// White space is allowed; nullopt if the rest is not base64.
std::optional<std::string> from_base64(std::string_view text);

} // namespace troupe::k8s
