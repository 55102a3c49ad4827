#pragma once

#include <map>
#include <string>

namespace troupe::k8s::node {

/// Replaces $(NAME) by the value of NAME; "$$" is a plain "$", and a name that
/// does not exist is not changed, as in Kubernetes.
std::string expand_variables(const std::string& text,
                             const std::map<std::string, std::string>& values);

} // namespace troupe::k8s::node
