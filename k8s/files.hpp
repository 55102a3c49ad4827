#pragma once

#include "k8s/result.hpp"

#include <string>

namespace troupe::k8s {

/// Reads a small file whole. ec::invalid with its name and the reason.
result<std::string> read_file(const std::string& path);

} // namespace troupe::k8s
