#pragma once

#include "k8s/apiserver/status_error.hpp"

#include <string>

namespace troupe::k8s::apiserver {

// What is wrong with a name, in the words of API servers, or "".
std::string dns1123_label_error(const std::string& name);
std::string dns1123_subdomain_error(const std::string& name);
std::string dns1035_label_error(const std::string& name);
std::string path_segment_error(const std::string& name);

/// Checks labels, annotations and owner references.
void validate_labels_owners_annotations(const json& object, field_errors& out);

/// The finalizer of an object that is deleted after its dependents.
constexpr const char* foreground_finalizer = "foregroundDeletion";

bool has_finalizers(const json& object);
bool has_finalizer(const json& object, const char* which);

/// Whether deletion has begun.
bool is_terminating(const json& object);

/// The UIDs of metadata.ownerReferences.
std::vector<std::string> owner_uids(const json& object);

} // namespace troupe::k8s::apiserver
