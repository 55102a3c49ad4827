#pragma once

#include "k8s/result.hpp"

#include <chrono>
#include <string>

namespace troupe::k8s {

/// Reads "300ms", "1.5s", "5m", "1h30m" and "0". A sign is refused. So is any
/// other number without a unit, because some people would mean seconds and
/// others milliseconds.
result<std::chrono::milliseconds> parse_duration(const std::string& text);

/// "1h30m", "5m", "1.5s", "300ms"; parse_duration() reads it back.
std::string to_duration_text(std::chrono::milliseconds d);

} // namespace troupe::k8s
