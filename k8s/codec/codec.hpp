#pragma once

#include "k8s/objects.hpp"
#include "k8s/result.hpp"

#include <string_view>

namespace troupe::k8s {

// Text to objects: JSON, or Kubernetes' protobuf where that came (of pods and
// of metadata only). Total: wrong text gives ec::garbage with its beginning, a
// missing or mistyped optional field gives its empty value. Thread-safe (one
// simdjson parser per thread).

/// Reads the answer to a GET, POST, PUT, PATCH or DELETE of one object. A
/// Status instead, as a final DELETE answers with, gives ec::not_found.
result<object_ptr> decode_object(std::string_view text, object_detail keep);

/// Reads the answer to a LIST, each item for itself: one that cannot be read is
/// named in `unreadable`. One that does not even have a name and a UID makes
/// the whole garbage: no server writes that.
result<list_page> decode_list(std::string_view text, object_detail keep);

/// Reads the answer to a LIST of one name: the object, or nullptr if there is
/// none. ec::garbage also if it cannot be read.
result<object_ptr> decode_list_of_one(std::string_view text,
                                      object_detail keep);

/// Reads one line of a WATCH in JSON. An object that cannot be read, but has a
/// name and a UID, is there as unreadable().
result<watch_event> decode_watch_line(std::string_view line,
                                      object_detail keep);

/// Reads one frame of a WATCH in protobuf.
result<watch_event> decode_protobuf_watch_frame(std::string_view frame,
                                                object_detail keep);

/// Reads a v1.Status, as servers send it with codes >= 400, into a failure;
/// text that is no Status still gives a failure, named after `http_status`.
failure decode_status(std::string_view text, int http_status);

} // namespace troupe::k8s
