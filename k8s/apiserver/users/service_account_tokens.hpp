#pragma once

#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/resources/write_result.hpp"
#include "k8s/apiserver/state/server_state.hpp"
#include "k8s/user_info.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s::apiserver {

/// The issuer of the tokens, and their audience unless a request names others.
constexpr const char* token_issuer =
    "https://kubernetes.default.svc.cluster.local";

/// Answers POST serviceaccounts/NAME/token (a TokenRequest).
status_or<write_result> create_service_account_token(server_state& state,
                                                     const request_info& info,
                                                     const json& request);

/// The user of this token, if we signed it, it is valid now and for one of the
/// audiences, and its account and the object that it is bound to still exist.
/// Otherwise null, and `why`.
user_ptr
authenticate_service_account_token(server_state& state, std::string_view token,
                                   const std::vector<std::string>& audiences,
                                   std::string& why);

/// The audiences of a token that we signed; none of any other.
std::vector<std::string> token_audiences(server_state& state,
                                         std::string_view token);

} // namespace troupe::k8s::apiserver
