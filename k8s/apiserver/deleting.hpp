#pragma once

#include "k8s/apiserver/request_info.hpp"
#include "k8s/apiserver/server_state.hpp"
#include "k8s/apiserver/write_result.hpp"

#include <optional>

namespace troupe::k8s::apiserver {

/// metav1.DeleteOptions. The UID and the version are preconditions, "" for
/// none.
struct delete_options {
  std::optional<std::int64_t> grace_period; ///< In seconds.
  std::string propagation_policy;           ///< "" means Background.
  std::string uid;
  std::string resource_version;
};

/// DELETE of an object, or of a collection. `options` is the body.
status_or<write_result> delete_or_mark_terminating(server_state& state,
                                                   const request_info& info,
                                                   const json& options);
status_or<write_result> delete_collection(server_state& state,
                                          const request_info& info,
                                          const json& options);

/// Begins the deletion of an object, or deletes it if nothing holds it.
status_or<write_result>
delete_stored_object(server_state& state, const served_resource& type,
                     const stored_object_ptr& s, const std::string& key,
                     const delete_options& d, bool dry_run = false);

/// Stores the new state of an object, or removes the object if it is
/// terminating and neither finalizers nor grace hold it any longer. Returns the
/// state that was stored or removed.
stored_object_ptr store_or_finish_deletion(server_state& state,
                                           const served_resource& type,
                                           const std::string& key, json object);

} // namespace troupe::k8s::apiserver
