#pragma once

#include <string>

namespace troupe::k8s::rest {

/// The reason of a failed connect(), for people; `error` is its errno.
std::string describe_connect_error(int error);

} // namespace troupe::k8s::rest
