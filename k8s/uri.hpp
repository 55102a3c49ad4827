#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::k8s {

/// Encodes all bytes except those that are plain in every part of a URL
/// (letters, digits and "-._~") and those in `also_plain`.
std::string percent_encode(std::string_view text,
                           std::string_view also_plain = {});

/// Decodes it; nullopt if it is malformed or contains a NUL. `plus_is_space` is
/// right for queries only.
std::optional<std::string> percent_decode(std::string_view text,
                                          bool plus_is_space);

} // namespace troupe::k8s
