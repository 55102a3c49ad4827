#pragma once

#include <chrono>
#include <string>

namespace troupe::k8s::rest {

/// Why there is no connection to `server` ("https://host:port/..."), for a
/// person: tries one, without saying anything over it. "" if it works. Blocks,
/// for `patience` and the name service's.
std::string why_unreachable(const std::string& server,
                            std::chrono::milliseconds timeout);

} // namespace troupe::k8s::rest
