#pragma once

#include "k8s/apiserver/resources/served_resource.hpp"
#include "k8s/apiserver/storage/store.hpp"

#include <vector>

namespace troupe::k8s::apiserver {

/// A meta.k8s.io/v1 Table of some objects. `include_object` is the query
/// parameter includeObject; `with_columns` adds the definitions of the columns.
json make_table(const served_resource& type,
                const std::vector<stored_object_ptr>& items, const json& meta,
                time_point now, const std::string& include_object,
                bool with_columns);

/// A PartialObjectMetadata, as text.
std::string encode_partial_object_metadata(const stored_object& object);

} // namespace troupe::k8s::apiserver
