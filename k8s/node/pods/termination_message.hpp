#pragma once

#include "k8s/json.hpp"
#include "k8s/result.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace troupe::k8s::node {

/// How much of a log may stand in for a termination message, as with kubelets.
inline constexpr int most_fallback_lines = 80;
inline constexpr std::size_t most_fallback_bytes = 2048;

/// How a container ended, for its message.
struct container_ending {
  int exit_code = 0;
  bool has_started = true;    ///< Its program was run.
  std::string message;        ///< What the node itself says of the end.
  std::size_t containers = 1; ///< Of its pod, init containers too.
};

/// state.terminated.message as a kubelet writes it: what is in the container's
/// file, or the end of its log, if terminationMessagePolicy says so, the file
/// is empty and the container failed. Of all containers of a pod together at
/// most 12 KiB. Always UTF-8.
std::string
make_termination_message(const json& container, const container_ending& ending,
                         const result<std::string>& file,
                         const std::function<std::string()>& read_end_of_log);

} // namespace troupe::k8s::node
