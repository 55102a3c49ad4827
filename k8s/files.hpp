#pragma once

#include "k8s/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace troupe::k8s {

/// Reads a small file whole. ec::invalid with its name and the reason.
result<std::string> read_file(const std::string& path);

/// What a crash of the machine may undo.
enum class durability : std::uint8_t {
  none,   ///< The text may be lost.
  synced, ///< The text is on the disk before the file has its name.
};

/// Replaces a file as a whole: readers see the old text or the new one. The
/// new file has `mode` from its first moment, whoever had the name before.
/// ec::invalid with its name and the reason.
std::optional<failure>
write_file_atomically(const std::string& path, std::string_view text,
                      mode_t mode, durability kept = durability::none);

} // namespace troupe::k8s
