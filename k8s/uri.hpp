#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::k8s {

/// Encodes all but what is plain in every part of a URL (letters, digits and
/// "-._~") and the characters in `also_plain`.
std::string percent_encode(std::string_view text,
                           std::string_view also_plain = {});

/// Undoes it; nullopt if it is malformed or hides a NUL. `plus_is_space` holds
/// for queries only.
std::optional<std::string> percent_decode(std::string_view text,
                                          bool plus_is_space);

} // namespace troupe::k8s
