#pragma once

#include <string>
#include <string_view>

namespace troupe::k8s::embedded {

std::string base64(std::string_view bytes);

} // namespace troupe::k8s::embedded
