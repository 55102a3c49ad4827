#pragma once

#include "k8s/apiserver/rbac_authorizer.hpp"
#include "k8s/apiserver/server_state.hpp"
#include "k8s/apiserver/status_error.hpp"

#include <optional>

namespace troupe::k8s::apiserver {

/// What a request is about, as its method and path say.
access_attributes parse_access_attributes(const http::request& r);

/// Whether a user may do it, by the server's kind of authorization.
access_decision decide_access(const server_state& state, const user_info& user,
                              const access_attributes& wanted);

/// "User "jane" cannot list resource "pods" in API group "" ...".
std::string describe_denial(const user_info& user,
                            const access_attributes& wanted);

/// The answer to a request that its user may not send. Requests without a user
/// come from inside the process and are not asked.
std::optional<status_error> check_authorization(const server_state& state,
                                                const http::request& r);

/// The same of a PUT or an apply that creates its object, for which its user
/// needs the verb `create`, too.
std::optional<status_error>
check_create_authorization(const server_state& state, const http::request& r);

bool has_impersonation_headers(const http::request& r);

/// The request as that of the user whom its headers name, if its own user may
/// `impersonate` him.
status_or<http::request>
check_and_set_impersonated_user(const server_state& state,
                                const http::request& r);

} // namespace troupe::k8s::apiserver
