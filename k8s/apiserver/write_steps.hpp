#pragma once

#include "k8s/apiserver/managed_fields.hpp"
#include "k8s/apiserver/request_info.hpp"
#include "k8s/apiserver/server_state.hpp"
#include "k8s/apiserver/write_result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// The state of one write request. The functions below are its steps, in this
/// order; only the last one changes the store. Admission comes after
/// validation, as validating admission does in an API server.
struct object_write {
  server_state& state;
  const request_info& info;
  json object;
  stored_object_ptr old;    ///< What it replaces, in the version of the
                            ///< request; null for a creation.
  stored_object_ptr stored; ///< The same as it is stored.
  std::vector<std::string> warnings;
  bool is_apply = false; ///< Its owners of fields are known already.
};

/// Fails if a field of a built-in resource is of a wrong type. Drops the fields
/// that the schema does not have, as fieldValidation says: Warn (the default)
/// with a warning, Ignore silently; Strict is an error.
std::optional<status_error> check_fields(object_write& w);

/// Checks that the body is an object of the resource that the path names and
/// meets the preconditions in its metadata; drops the fields that the schema
/// does not have.
std::optional<status_error> decode(object_write& w);

/// Fills in the defaults, restores the fields that the request cannot change
/// and sets those that only the server sets, in this order.
void set_defaults(object_write& w);

/// Asks the admission mutator of the resource, if there is one.
void mutate(object_write& w);

/// Who makes the write, for the owners of fields.
field_writer make_field_writer(const object_write& w);

/// Notes who owns the fields that this write changes, if somebody has applied
/// to the object before.
void set_managed_fields(object_write& w);

/// Collects all field errors. Fails, too, if the namespace of a new object is
/// missing or terminating, or its name exists.
std::optional<status_error> validate(object_write& w);

/// Asks the admission validator of the resource, if there is one.
std::optional<status_error> admit(object_write& w);

/// Stores the object, except for a dry run or if nothing has changed; deletes
/// it if this write removed its last finalizer. Fails if it cannot be converted
/// to the version that is stored.
status_or<write_result> store_object_unless_dry_run(object_write w);

} // namespace troupe::k8s::apiserver
