#pragma once

#include "frameworks/core/model/auxiliary_content.hpp"

namespace troupe::core {

/// The content `stored` of the response to a creation or an update to what is
/// wanted now.
auxiliary_content content_after_applying(const auxiliary_object& wanted,
                                         const job& of,
                                         const auxiliary_content& stored);

} // namespace troupe::core
