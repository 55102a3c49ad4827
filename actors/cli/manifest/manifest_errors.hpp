#pragma once

#include "k8s/codec/yaml.hpp"

#include <string>
#include <vector>

namespace troupe::cli {

/// The refusal of a document by an API server, with the lines of the fields
/// that it names, and for a field that does not exist with the path of the
/// existing field that is spelled most like it. `schema` is the OpenAPI schema
/// of the document's kind, null if unknown.
std::string refusal_with_location(const k8s::yaml_document& document,
                                  const std::string& message,
                                  const k8s::json& schema);

/// The message about a value that is none of its field's choices, with its
/// line; "" if there is none. CRDs of training-operator v1 allow any value in
/// these fields, and the operator sees it when it is too late for a good
/// answer. `spec_field` is the field with the replicas, "tfReplicaSpecs".
std::string wrong_choice_message(const k8s::yaml_document& job,
                                 const std::string& spec_field);

/// The names of the fields that may stand beside the one of this path, as far
/// as the schema says; none if any may.
std::vector<std::string> known_sibling_field_names(const k8s::json& schema,
                                                   const std::string& path);

} // namespace troupe::cli
