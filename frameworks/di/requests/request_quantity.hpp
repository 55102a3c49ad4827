#pragma once

#include "frameworks/di/requests/request_json.hpp"
#include "k8s/result.hpp"

#include <cstdint>
#include <string>

namespace troupe::frameworks::di {

/// An amount of a resource in a request.
struct request_quantity {
  std::string text; ///< Written the shortest way; "" for none.
  std::int64_t rounded_up = 0;
};

/// Reads a string or a number; null means none. ec::invalid with the message
/// that a client of DI-orchestrator knows: that of Kubernetes' Go library.
k8s::result<request_quantity> read_request_quantity(const request_value& value);

} // namespace troupe::frameworks::di
