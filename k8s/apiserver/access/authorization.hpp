#pragma once

#include "k8s/apiserver/access/rbac_authorizer.hpp"
#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/http/server.hpp"

#include <optional>

namespace troupe::k8s::apiserver {

// Refuses a request, or carries it out in another user's name. A null policy
// lets every known user do everything.

/// What a request wants to do, according to its method and path.
access_attributes parse_access_attributes(const http::request& r);

access_decision allow_without_policy_or_decide(const rbac_policy* policy,
                                               const user_info& user,
                                               const access_attributes& wanted);

/// The error if the user of the request may not send it. Requests without a
/// user come from inside the process and are not refused.
std::optional<status_error> refuse_unless_authorized(const rbac_policy& policy,
                                                     const http::request& r);

/// The same for a PUT or an apply that creates its object, for which its user
/// needs the verb `create`, too.
std::optional<status_error>
refuse_unless_creation_is_authorized(const rbac_policy& policy,
                                     const http::request& r);

bool is_impersonation_requested(const http::request& r);

/// The request as one of the user that its headers name; an error if its own
/// user may not `impersonate` that user.
status_or<http::request>
check_and_set_impersonated_user(const rbac_policy* policy,
                                const http::request& r);

} // namespace troupe::k8s::apiserver
