#pragma once

#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <string_view>

namespace troupe::k8s {

// Reads text into objects: JSON, or Kubernetes' protobuf if the answer is that
// (pods and metadata only). Every text gives a result: wrong text gives
// ec::garbage with its beginning, and a missing or mistyped optional field
// gives its empty value. Thread-safe (one simdjson parser per thread).

/// Reads the answer to a GET, POST, PUT, PATCH or DELETE of one object. A
/// Status in its place, as after a final DELETE, gives ec::not_found.
result<object_ptr> decode_object(std::string_view text, object_detail keep);

/// Reads the answer to a LIST, each item by itself: an item that cannot be read
/// is in `unreadable`. An item without a name or a UID makes the whole answer
/// ec::garbage, since no server writes that.
result<list_page> decode_list(std::string_view text, object_detail keep);

/// Reads the answer to a LIST of one name: the object, or nullptr if there is
/// none. ec::garbage also if it cannot be read.
result<object_ptr> decode_list_of_one(std::string_view text,
                                      object_detail keep);

/// Reads one line of a WATCH in JSON. An object that cannot be read and has a
/// name and a UID is given as unreadable().
result<watch_event> decode_watch_line(std::string_view line,
                                      object_detail keep);

/// Reads one frame of a WATCH in protobuf.
result<watch_event> decode_protobuf_watch_frame(std::string_view frame,
                                                object_detail keep);

/// Reads a v1.Status, as servers send it with codes >= 400, into a failure;
/// text that is not a Status gives a failure, too, named after `http_status`.
failure decode_status(std::string_view text, int http_status);

} // namespace troupe::k8s
