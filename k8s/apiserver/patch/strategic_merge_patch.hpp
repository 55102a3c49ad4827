#pragma once

#include "k8s/json.hpp"

#include <string>

namespace troupe::k8s::apiserver {

/// A strategic merge: lists whose items have a known key are merged item by
/// item, all others replaced; $patch, $retainKeys, $setElementOrder and
/// $deleteFromPrimitiveList are understood. Sets `error` if the patch cannot
/// be read.
json strategic_merge(const json& target, const json& patch, std::string& error);

} // namespace troupe::k8s::apiserver
