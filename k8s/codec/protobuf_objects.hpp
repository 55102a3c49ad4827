#pragma once

#include "k8s/codec/protobuf_fields.hpp"
#include "k8s/objects.hpp"

namespace troupe::k8s::protobuf {

// The messages inside an object. What is unknown is skipped; a message that is
// cut off throws protozero's exception.

object_meta read_object_meta(pbf_reader m);
/// `spec` of a pod. `sidecars`: the names of those are added.
void read_pod_spec(pbf_reader m, object_detail keep, pod_state& p,
                   std::vector<std::string>& sidecars);
/// `status` of a pod.
void read_pod_status(pbf_reader m, pod_state& p);

} // namespace troupe::k8s::protobuf
