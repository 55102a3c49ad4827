#pragma once

#include <string>
#include <string_view>

namespace troupe::k8s {

std::string base64(std::string_view bytes);

} // namespace troupe::k8s
