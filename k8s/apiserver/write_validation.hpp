#pragma once

#include "k8s/apiserver/server_state.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

// What is checked of a body before it is stored, in this order. The first two
// also complete the body.

/// Checks apiVersion, kind and namespace against the path and fills them in.
/// Drops managedFields, selfLink and what is null from the metadata.
std::optional<status_error> prepare_metadata(const request_info& info,
                                             json& body);

/// Prunes and defaults a custom resource as its schema says.
std::optional<status_error>
prune_and_default(const request_info& info, json& body,
                  std::vector<std::string>& warnings);

/// Why nothing can be created in the namespace (it is missing or terminating),
/// or nullopt. `name`: of the new object.
std::optional<status_error> check_namespace(server_state& state,
                                            const request_info& info,
                                            const std::string& name);

/// Everything that is wrong with an object; `old` is what it replaces, or null.
void check_object(const request_info& info, const json& object, const json* old,
                  field_errors& out);

/// Asks what api_server::set_admission_validator has set for this resource, if
/// anything.
std::optional<status_error> admit(server_state& state, const request_info& info,
                                  const json& object, const json* old);

} // namespace troupe::k8s::apiserver
