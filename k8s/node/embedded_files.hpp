#pragma once

#include <string_view>

namespace troupe::k8s::node {

/// What the node brings along, as bytes: the library, programs, scripts.
std::string_view preload_bytes();
std::string_view reaper_bytes();
std::string_view namespaces_bytes();
std::string_view kubectl_bytes();
std::string_view delivery_bytes();
std::string_view nslookup_bytes();

} // namespace troupe::k8s::node
