#pragma once

#include "k8s/result.hpp"

#include <chrono>
#include <string>

namespace troupe::config {

/// Reads "300ms", "1.5s", "5m", "1h30m" and plain "0". No sign: nothing here
/// lasts less than no time. A number without a unit is refused, since half of
/// the world would mean seconds and the other half milliseconds.
k8s::result<std::chrono::milliseconds> parse_duration(const std::string& text);

/// "1h30m", "5m", "1.5s", "300ms"; parse_duration() reads it back.
std::string to_string(std::chrono::milliseconds d);

} // namespace troupe::config
