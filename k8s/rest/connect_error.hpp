#pragma once

#include <string>

namespace troupe::k8s::rest {

/// What a failed connect() means, by its errno, for people.
std::string describe_connect_error(int error);

} // namespace troupe::k8s::rest
