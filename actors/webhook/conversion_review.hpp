#pragma once

#include "k8s/http/server.hpp"

namespace troupe::actors {

/// Where API servers send objects that are to be converted.
inline constexpr const char* conversion_path = "/convert";

/// Answers an API server that asks for objects in another version
/// (ConversionReview v1), as frameworks/conversions.hpp says: with all of them,
/// or with the reason why one cannot be converted. A request that is not such a
/// review is answered 400.
k8s::http::response answer_conversion_review(const k8s::http::request& r);

} // namespace troupe::actors
