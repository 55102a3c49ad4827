#pragma once

#include "k8s/apiserver/request_info.hpp"
#include "k8s/apiserver/server_state.hpp"

namespace troupe::k8s::apiserver {

// What clients ask about users and their rights (`kubectl auth can-i` and
// `whoami`). Each takes the review and returns it with its status.

/// Who has sent the request; a request from inside the process has no user, and
/// reads as that of the run's token.
const user_info& requesting_user(const request_info& info);

/// Each of these is a write_strategy::answer.
status_or<json> evaluate_access_review(server_state& state,
                                       const request_info& info, json review);
status_or<json> evaluate_self_access_review(server_state& state,
                                            const request_info& info,
                                            json review);
status_or<json> evaluate_self_rules_review(server_state& state,
                                           const request_info& info,
                                           json review);
status_or<json> evaluate_self_subject_review(server_state& state,
                                             const request_info& info,
                                             json review);
status_or<json> evaluate_token_review(server_state& state,
                                      const request_info& info, json review);

} // namespace troupe::k8s::apiserver
