#pragma once

#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <string_view>

namespace troupe::k8s {

// Reads the protobuf of built-in resources and of metadata into the same
// objects as the JSON. Included by codec.cpp only: all others decode whichever
// came. Every text gives a result: ec::garbage if it is cut off, too long, or
// has a value of another type than its field's.
//
// Only metadata and pods can be read: any other `keep` than a pod's
// (is_pod_detail) or object_detail::metadata gives ec::garbage.

/// Whether `text` begins as every answer in protobuf does.
bool is_protobuf(std::string_view text);

result<object_ptr> decode_protobuf_object(std::string_view text,
                                          object_detail keep);
result<list_page> decode_protobuf_list(std::string_view text,
                                       object_detail keep);

/// Reads one frame of a watch.
result<watch_event> decode_protobuf_event(std::string_view frame,
                                          object_detail keep);

failure decode_protobuf_status(std::string_view text, int http_status);

} // namespace troupe::k8s
