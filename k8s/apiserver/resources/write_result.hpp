#pragma once

#include "k8s/apiserver/base/status_error.hpp"
#include "k8s/apiserver/storage/store.hpp"

#include <string>
#include <vector>

namespace troupe::k8s::apiserver {

/// The result of a write, and the answer to it: the object as it is stored, or,
/// for a dry run, as it would be, in the version of the request.
struct write_result {
  int http_status = 200;
  stored_object_ptr object; ///< Null: `body` is the answer.
  json body = nullptr;
  std::vector<std::string> warnings;
};

} // namespace troupe::k8s::apiserver
