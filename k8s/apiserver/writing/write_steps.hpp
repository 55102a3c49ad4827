#pragma once

#include "k8s/apiserver/patch/managed_fields.hpp"
#include "k8s/apiserver/resources/request_info.hpp"
#include "k8s/apiserver/resources/write_result.hpp"
#include "k8s/apiserver/state/server_state.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// The state of one write request. `check_and_prepare_write` in writing.cpp is
/// the sequence of its steps; those that return an error end it:
///
///     check_decodable_and_convert_to_storage    write_checks.cpp
///     prepare_object
///     run_mutating_admission_except_subresources    may change the object
///     update_managed_fields_if_tracked
///     validate_object
///     refuse_role_escalation    role_escalation.hpp
///     run_validating_admission_except_subresources  may only refuse it
///
/// After them store_object_unless_dry_run changes the store.
struct object_write {
  server_state& state;
  const request_info& info;
  json object;
  /// What it replaces, null for a creation: of a custom resource in the version
  /// of the request, of a built-in one in the storage version, to which
  /// check_decodable_and_convert_to_storage converts `object`.
  stored_object_ptr old;
  stored_object_ptr stored; ///< The same as it is stored.
  std::vector<std::string> warnings;
  bool managed_fields_are_set = false; ///< By an apply.
  json sent_metadata = {}; ///< Of a status update: as the client has it.
};

/// Checks the limits of the object (object_limits.hpp), wherever it comes from.
/// Checks that the body is an object of the resource that the path names, its
/// fields (check_and_prune_fields), and the preconditions in its metadata.
/// Drops fields that count as not set, and converts an object of a built-in
/// resource to the storage version.
std::optional<status_error>
check_decodable_and_convert_to_storage(object_write& w);

/// Does what the registry of an API server does before a creation or an update:
/// fills in the defaults, restores what the request cannot change (in a status
/// update everything except the status), and sets what only the server sets,
/// such as the generated name and the UID of a new object.
void prepare_object(object_write& w);

/// Asks the admission mutator of the resource, if there is one, except for a
/// subresource.
void run_mutating_admission_except_subresources(object_write& w);

/// Records who manages the fields that an update changes, if the old object or
/// the new one has metadata.managedFields. As in kube-apiserver a status update
/// counts with the labels, annotations, finalizers and owners that it was sent
/// with, though they are not stored: fields that it leaves out lose their
/// owners.
void update_managed_fields_if_tracked(object_write& w);

/// Collects all field errors. Fails, too, if the namespace of a new object is
/// missing or terminating, or its name exists.
std::optional<status_error> validate_object(object_write& w);

/// Asks the admission validator of the resource, if there is one, except for a
/// subresource.
std::optional<status_error>
run_validating_admission_except_subresources(object_write& w);

/// Stores the object, except for a dry run or if nothing has changed; deletes
/// it if this write removed its last finalizer. The object is converted to the
/// storage version; if that fails, nothing is stored.
status_or<write_result> store_object_unless_dry_run(object_write w);

// -- also used by server-side apply -------------------------------------------

/// Fails if a field of a built-in resource is of a wrong type, and drops null
/// members there. Drops the fields that the schema does not have, as
/// fieldValidation says: Warn (the default) with a warning, Ignore silently;
/// Strict is an error.
std::optional<status_error> check_and_prune_fields(object_write& w);

/// The author of the write, for the owners of fields.
field_writer make_field_writer(const object_write& w);

} // namespace troupe::k8s::apiserver
