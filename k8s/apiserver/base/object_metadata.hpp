#pragma once

#include "k8s/apiserver/base/status_error.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

// What is wrong with a name, in the words of API servers; "" if nothing is.
std::string dns1123_label_error(const std::string& name);
std::string dns1123_subdomain_error(const std::string& name);
std::string dns1035_label_error(const std::string& name);
std::string path_segment_error(const std::string& name);
std::string namespace_name_error(const std::string& name);
std::string label_value_error(const std::string& value);
/// For the key of a label, such as "example.com/name".
std::vector<std::string> qualified_name_errors(const std::string& key);
/// For the name of a container's port, IANA_SVC_NAME; it must not be empty.
std::vector<std::string> port_name_errors(const std::string& name);

/// The error if a member of metadata has a value of a wrong type.
std::optional<status_error> check_metadata_types(const json& meta);

// For objects whose metadata has the right types:

/// Checks labels, annotations, finalizers and owner references.
void validate_metadata_except_name(const json& object, bool is_custom_resource,
                                   field_errors& out);
/// Adds a warning for each finalizer without a domain.
void add_unqualified_finalizer_warnings(const json& object,
                                        std::vector<std::string>& warnings);

/// The finalizer of an object that is deleted after its dependents.
constexpr const char* foreground_finalizer = "foregroundDeletion";

/// The finalizer of an object whose dependents stay when it is deleted.
constexpr const char* orphan_finalizer = "orphan";

bool has_finalizers(const json& object);
bool has_finalizer(const json& object, const char* which);

/// Whether deletion has begun.
bool is_terminating(const json& object);

/// The UIDs of metadata.ownerReferences.
std::vector<std::string> owner_uids(const json& object);

} // namespace troupe::k8s::apiserver
