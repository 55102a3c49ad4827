#pragma once

#include "k8s/apiserver/resource_registry.hpp"
#include "k8s/apiserver/store.hpp"
#include "k8s/http/server.hpp"

#include <vector>

namespace troupe::k8s::apiserver {

/// Whether the client prefers tables, or only metadata.
bool wants_table(const http::request& r);
bool wants_metadata(const http::request& r);

/// A meta.k8s.io/v1 Table of some objects; `headed` includes the columns.
json make_table(const served_resource& type,
                const std::vector<stored_object_ptr>& items, const json& meta,
                time_point now, const http::request& r, bool headed);

/// A PartialObjectMetadata.
json partial_object_metadata(const json& object);

/// "3m12s", as kubectl writes ages.
std::string age_text(std::chrono::seconds s);

/// Finds values by a JSONPath as CRDs' printer columns use it: names, ['a.b'],
/// [n], [-1:], [*], [?(@.type=="Ready")]. Empty if nothing matches.
std::vector<const json*> evaluate_json_path(const json& object,
                                            const std::string& path);

} // namespace troupe::k8s::apiserver
