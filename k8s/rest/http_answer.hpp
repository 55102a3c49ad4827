#pragma once

#include "k8s/result.hpp"

#include <string>

namespace troupe::k8s::rest {

/// An answer to a request, whatever its status.
struct http_answer {
  int status = 0;
  std::string body;
  std::string retry_after; ///< The header, "" if there is none.
};

/// What an answer that is no success means, with the header's word on when to
/// come back.
failure failure_of_answer(const http_answer& answer);

} // namespace troupe::k8s::rest
