#pragma once

#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/state/server_state.hpp"

namespace troupe::k8s::apiserver {

/// The answer to a GET of one object or of a collection.
http::response get_object_or_list(server_state& state,
                                  const request_info& info);

} // namespace troupe::k8s::apiserver
