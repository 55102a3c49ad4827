#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe::k8s::node {

/// The loader that a program of this machine's kind asks for, from the bytes of
/// its file: that of its C library. "" if it is statically linked; none if the
/// bytes are no such program.
std::optional<std::string> find_elf_interpreter(std::string_view file);

/// What keeps programs that are linked as /bin/sh is from the preload library.
struct preload_obstacle {
  bool makes_crash = false; ///< They would load it, and break.
  std::string why;          ///< "" if nothing does.
};

/// From the loader that /bin/sh asks for, if that is known.
preload_obstacle
find_preload_obstacle(const std::optional<std::string>& interpreter);

} // namespace troupe::k8s::node
