#pragma once

#include <chrono>
#include <string>

namespace troupe::k8s::rest {

/// Connects to `server` ("https://host:port/...") and sends nothing. Gives the
/// reason why that fails, for people, or "". Blocks for `timeout` at most, and
/// as long as the name service takes.
std::string connect_and_describe_error(const std::string& server,
                                       std::chrono::milliseconds timeout);

/// What a failed connect() means, by its errno, for people.
std::string describe_connect_error(int error);

} // namespace troupe::k8s::rest
