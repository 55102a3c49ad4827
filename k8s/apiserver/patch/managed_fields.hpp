#pragma once

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/apiserver/schema/schema.hpp"

#include <string>

namespace troupe::k8s::apiserver {

// Who owns which fields of an object (metadata.managedFields). Owners are kept
// from the first server-side apply on; an object to which nobody applies has
// none.

/// Who writes, and how.
struct field_writer {
  std::string manager;
  std::string api_version;
  std::string subresource; ///< "" or "status".
  std::string timestamp;
  bool force = false; ///< An apply takes over what others own.
};

/// The live object as it is with `applied`, and with its new owners. What the
/// manager applied before and does not any more is removed, unless others own
/// it. `live` is null for an object to be created. A conflict is 409.
status_or<json> apply_configuration(const schema* type, const json& live,
                                    const json& applied,
                                    const field_writer& writer);

/// Sets the owners in `next`, which is to replace `old`: the writer owns what
/// it changed. Nothing if neither object has managedFields. Those in `next`,
/// which the client has set itself, count before those in `old`; `[{}]` there
/// removes them.
void update_managed_fields(const schema* type, const json& old, json& next,
                           const field_writer& writer);

} // namespace troupe::k8s::apiserver
