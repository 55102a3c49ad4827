#pragma once

#include "k8s/apiserver/status_error.hpp"

#include <string>

namespace troupe::k8s::apiserver {

// What holds for the metadata of every object.

// What is wrong with a name, in the words API servers use, or "".
std::string dns1123_label_error(const std::string& name); ///< RFC 1123 label.
std::string
dns1123_subdomain_error(const std::string& name); ///< RFC 1123 subdomain.
std::string dns1035_label_error(const std::string& name); ///< RFC 1035 label.

/// Checks labels, annotations, owner references and finalizers.
void validate_metadata(const json& object, field_errors& out);

/// Whether any finalizer holds the object back.
bool has_finalizers(const json& object);

/// Whether deletion has begun.
bool is_terminating(const json& object);

} // namespace troupe::k8s::apiserver
