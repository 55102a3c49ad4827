#pragma once

#include "k8s/result.hpp"

#include <string>

namespace troupe::k8s::rest {

/// An answer to a request, whatever its status.
struct http_answer {
  int status = 0;
  std::string body;
  std::string retry_after; ///< The header's text; "" if there is none.
};

/// The failure that an answer without success means, with the time to wait if
/// its Retry-After header has one.
failure failure_of_answer(const http_answer& answer);

} // namespace troupe::k8s::rest
