#pragma once

#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/storage/store.hpp"

namespace troupe::k8s::apiserver {

/// The text of an object as the client asked for it: as a table, its metadata
/// only, or whole.
std::string encode_object_in_requested_form(time_point now,
                                            const request_info& info,
                                            const stored_object_ptr& object);

/// The text of an object under the version that the request names.
std::string encode_in_served_version(const request_info& info,
                                     const stored_object_ptr& object);

} // namespace troupe::k8s::apiserver
