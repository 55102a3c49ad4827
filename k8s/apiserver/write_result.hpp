#pragma once

#include "k8s/apiserver/status_error.hpp"
#include "k8s/apiserver/store.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// What a write did: the object as it is now, and what to answer.
struct write_result {
  int http_status = 200;
  stored_object_ptr object; ///< Null: `body` is the answer.
  json body = nullptr;
  std::vector<std::string> warnings;
};

} // namespace troupe::k8s::apiserver
