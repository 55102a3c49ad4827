#pragma once

#include <string_view>

namespace troupe::k8s::node {

/// The files inside the binary, as bytes: the library, programs and scripts.
std::string_view preload_bytes();
std::string_view reaper_bytes();
std::string_view namespace_holder_bytes();
std::string_view exec_only_kubectl_bytes();
std::string_view deliver_kubectl_script_bytes();
std::string_view nslookup_bytes();

} // namespace troupe::k8s::node
