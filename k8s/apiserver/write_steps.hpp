#pragma once

#include "k8s/apiserver/request_info.hpp"
#include "k8s/apiserver/server_state.hpp"
#include "k8s/apiserver/write_result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// One object on its way into the store, and the steps that it takes there, in
/// this order. Nothing is stored before the last one.
struct object_write {
  server_state& state;
  const request_info& info;
  json object;
  stored_object_ptr old; ///< What it replaces; null for a creation.
  std::vector<std::string> warnings;
};

/// Checks that the body is an object of the resource that the path names and
/// meets the preconditions in its metadata; drops the fields that the schema
/// does not have.
std::optional<status_error> decode(object_write& w);

/// Fills in the defaults, and the fields that only the server sets.
void set_defaults(object_write& w);

/// Finds everything that is wrong with the object, or that it cannot be created
/// where it should be.
std::optional<status_error> validate(object_write& w);

/// Asks the admission validator of the resource, if there is one.
std::optional<status_error> admit(const object_write& w);

/// Stores the object, but for a dry run and if nothing has changed.
write_result store_object(object_write w);

} // namespace troupe::k8s::apiserver
