#pragma once

#include "k8s/json.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// Finds values by a JSONPath as CRDs' printer columns use it: names, ['a.b'],
/// [n], [-1:], [*], [?(@.type=="Ready")]. Empty if nothing matches.
std::vector<const json*> evaluate_json_path(const json& object,
                                            const std::string& path);

} // namespace troupe::k8s::apiserver
