#pragma once

#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/resources/write_result.hpp"
#include "k8s/apiserver/state/server_state.hpp"

namespace troupe::k8s::apiserver {

// POST, PUT and PATCH. `body` is what the client sent, as JSON.

status_or<write_result> create_object(server_state& state,
                                      const request_info& info, json body);
status_or<write_result> update_object(server_state& state,
                                      const request_info& info, json body);
status_or<write_result>
patch_object(server_state& state, const request_info& info, const json& body);

} // namespace troupe::k8s::apiserver
