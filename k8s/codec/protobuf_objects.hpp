#pragma once

#include "k8s/codec/protobuf_fields.hpp"
#include "k8s/objects.hpp"

namespace troupe::k8s::protobuf {

// Reads the messages inside an object. Unknown fields are skipped; a message
// that is cut off throws protozero's exception.

object_meta read_object_meta(pbf_reader m);
/// Reads the spec of a pod, and adds the names of its sidecars to `sidecars`.
void read_pod_spec(pbf_reader m, object_detail keep, pod_state& p,
                   std::vector<std::string>& sidecars);
/// Reads the status of a pod.
void read_pod_status(pbf_reader m, pod_state& p);

} // namespace troupe::k8s::protobuf
