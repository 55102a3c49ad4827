#pragma once

#include "k8s/apiserver/server_state.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

// What a body must be before it is stored, in the order of asking. The body is
// completed on the way.

/// Makes the body fit the place it was sent to.
std::optional<status_error> fit(const call& c, json& body);

/// Prunes and defaults a custom resource as its schema says.
std::optional<status_error> shape(const call& c, json& body,
                                  std::vector<std::string>& warnings);

/// Whether the namespace can take something new.
std::optional<status_error> check_namespace(server_state& w, const call& c,
                                            const std::string& name);

/// Everything that is wrong with an object; `old` is what it replaces, or null.
void check_object(const call& c, const json& object, const json* old,
                  causes& out);

/// Asks the admission, if the resource has one.
std::optional<status_error> admit(server_state& w, const call& c,
                                  const json& object, const json* old);

} // namespace troupe::k8s::apiserver
