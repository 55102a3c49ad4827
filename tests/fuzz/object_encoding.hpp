#pragma once

#include "k8s/json.hpp"
#include "k8s/objects.hpp"

#include <string>

namespace troupe::fuzz {

// The way back from what the codec keeps of an object: for the property that
// what is decoded, encoded and decoded again is the same.

/// The JSON of the metadata, and of the state of a pod: of Kubernetes, so that
/// it can be decoded. Two objects with the same JSON are the same.
k8s::json to_json(const k8s::object& o);

/// The whole object as JSON text. What the codec keeps as text is in it as it
/// is.
std::string to_json_text(const k8s::object& o);

/// All that is kept, the texts too.
k8s::json to_json(const k8s::watch_event& e);
k8s::json all_of(const k8s::object& o);

} // namespace troupe::fuzz
