#pragma once

#include "k8s/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace troupe::k8s {

/// The most bytes that are read from a file, standard input or a pipe. Some of
/// these have no end.
constexpr std::size_t most_file_bytes = 64u << 20;

/// Reads a file whole, a pipe until its end. ec::invalid with its name and the
/// reason, ec::too_large if it is longer than `most`.
result<std::string> read_file(const std::string& path,
                              std::size_t most = most_file_bytes);

/// The same of an open file; `name` is for messages.
result<std::string> read_open_file(int fd, const std::string& name,
                                   std::size_t most = most_file_bytes);

/// What a crash of the machine may destroy.
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
