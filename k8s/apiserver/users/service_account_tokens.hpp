#pragma once

#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/resources/write_result.hpp"
#include "k8s/apiserver/state/server_state.hpp"
#include "k8s/user_info.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s::apiserver {

/// Who signs the tokens, and whom they are for unless a request says otherwise.
constexpr const char* token_issuer =
    "https://kubernetes.default.svc.cluster.local";

/// Answers POST serviceaccounts/NAME/token (a TokenRequest).
status_or<write_result> create_service_account_token(server_state& state,
                                                     const request_info& info,
                                                     const json& request);

/// Whose token this is, if it is one of ours, holds now, is for one of the
/// audiences, and its account and what it is bound to are still there. Null,
/// and `why`, if not.
user_ptr
authenticate_service_account_token(server_state& state, std::string_view token,
                                   const std::vector<std::string>& audiences,
                                   std::string& why);

/// The audiences of such a token.
std::vector<std::string> token_audiences(server_state& state,
                                         std::string_view token);

} // namespace troupe::k8s::apiserver
