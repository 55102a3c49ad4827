#pragma once

#include "k8s/apiserver/resources/request_info.hpp"

#include <optional>

namespace troupe::k8s::apiserver {

/// A dryRun or fieldValidation that is not known must not be taken for none.
/// Deletions have options of their own.
std::optional<status_error>
check_write_options_except_delete(const request_info& info);

} // namespace troupe::k8s::apiserver
