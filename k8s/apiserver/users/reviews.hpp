#pragma once

#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/state/server_state.hpp"

namespace troupe::k8s::apiserver {

/// Answers a client's question about users and their rights (`kubectl auth
/// can-i` and `whoami`): returns the review with its status. Its resource is
/// one with `is_review`. A request from inside the process has no user, and is
/// answered like one of the run's token.
status_or<json> evaluate_review(server_state& state, const request_info& info,
                                json review);

} // namespace troupe::k8s::apiserver
