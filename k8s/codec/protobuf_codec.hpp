#pragma once

#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <string_view>

namespace troupe::k8s {

// The protobuf of built-in resources and of metadata, read into what the JSON
// of the same object reads into. Included by codec.cpp only: everybody else
// decodes what came. As total as that: what is cut off, too long or of another
// type than the field's gives ec::garbage.
//
// Nothing but metadata and pods can be read: `keep` is object_detail::pod or
// object_detail::metadata.

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
