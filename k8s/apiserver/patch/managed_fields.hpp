#pragma once

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/apiserver/schema/schema.hpp"

#include <string>

namespace troupe::k8s::apiserver {

// The owners of the fields of an object (metadata.managedFields). Owners are
// kept from the first server-side apply on; an object without an apply has
// none.

/// The author of a write, and its kind.
struct field_writer {
  std::string manager;
  std::string api_version;
  std::string subresource; ///< "" or "status".
  std::string timestamp;
  bool force = false; ///< An apply takes over the fields that others own.
};

/// The live object merged with `applied`, with its new owners. A field that the
/// manager applied before and no longer applies is removed, unless others own
/// it. `live` is null for an object to be created. A conflict is 409.
status_or<json> apply_configuration(const schema* type, const json& live,
                                    const json& applied,
                                    const field_writer& writer);

/// Sets the owners in `next`, which is to replace `old`: the writer owns what
/// it changed. If neither object has managedFields, `next` gets none. Those in
/// `next`, which the client has set itself, take precedence over those in
/// `old`; `[{}]` there removes all.
void update_managed_fields(const schema* type, const json& old, json& next,
                           const field_writer& writer);

} // namespace troupe::k8s::apiserver
