#pragma once

#include "k8s/apiserver/resources/write_result.hpp"
#include "k8s/apiserver/state/server_state.hpp"
#include "k8s/apiserver/writing/delete_options.hpp"

namespace troupe::k8s::apiserver {

/// DELETE of an object, or of a collection, from which objects that cannot be
/// deleted are not removed. `options` is the body.
status_or<write_result> delete_object_or_collection(server_state& state,
                                                    const request_info& info,
                                                    const json& options);
/// Begins the deletion of an object, or deletes it if nothing holds it. The
/// garbage collector decides about its dependents; a finalizer of the object
/// says how.
status_or<write_result> delete_stored_object(server_state& state,
                                             const served_resource& type,
                                             const stored_object_ptr& s,
                                             const std::string& key,
                                             const delete_options& d);

/// Stores the new state of an object, or removes the object if it is
/// terminating and neither finalizers nor grace hold it any longer. Returns the
/// new state; a watch sees the state before a removal.
stored_object_ptr store_or_finish_deletion(server_state& state,
                                           const served_resource& type,
                                           const std::string& key, json object);

} // namespace troupe::k8s::apiserver
