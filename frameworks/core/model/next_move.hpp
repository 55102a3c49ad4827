#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::core {

/// Who must act next, so that something can continue.
enum class mover : std::uint8_t {
  this_operator,
  cluster,    ///< A part of Kubernetes: API server, scheduler, kubelet, ...
  controller, ///< Another controller.
  program,    ///< The processes in the job's pods.
  person,
  nobody, ///< It does not continue.
};

/// For the report: "operator", "cluster", ...
const char* to_string(mover m);

/// Whose move it is, as a value and in words: "the kubelet, which tries again;
/// a person if the image's name is wrong".
struct next_move {
  mover who = mover::nobody;
  const char* words = "";
};

/// The text, followed by " (whose move: the kubelet)"; the text as it is if
/// that is unknown.
std::string append_whose_move_if_known(std::string text,
                                       const std::optional<next_move>& whose);

} // namespace troupe::core
