#pragma once

#include "k8s/http/server.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::k8s::http {

// The textual side of HTTP: pure functions, no socket.

/// Splits a request target ("/a/b?x=1", or absolute form) into `r.path` and
/// `r.query`; false if it is malformed. An absolute one replaces the Host
/// header, too.
bool parse_request_target(std::string_view target, request& r);

/// The members of a list header ("a, b"), without blanks around them and
/// without empty ones.
std::vector<std::string> split_header_list(std::string_view value);

/// How the body of an answer is delimited.
enum class framing : std::uint8_t { length, chunked, until_close };

/// The status line and all headers of an answer, up to the empty line.
std::string format_response_head(const response& r, framing f, bool keep_alive);

/// "Not Found" for 404.
const char* reason_phrase(int status);

} // namespace troupe::k8s::http
