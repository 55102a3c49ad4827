#pragma once

#include "frameworks/core/model/auxiliary_content.hpp"

namespace troupe::core {

/// The content to keep after a creation or an update to `wanted`; `stored` is
/// the content in the response.
auxiliary_content content_after_applying(const auxiliary_object& wanted,
                                         const job& of,
                                         const auxiliary_content& stored);

} // namespace troupe::core
