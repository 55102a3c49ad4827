#pragma once

#include <map>
#include <string>

namespace troupe::k8s::node {

/// Replaces $(NAME) by the value of NAME, and "$$" by "$". A $(NAME) without a
/// value stays as it is, as in Kubernetes.
std::string expand_variables(const std::string& text,
                             const std::map<std::string, std::string>& values);

} // namespace troupe::k8s::node
