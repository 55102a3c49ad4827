#include "frameworks/core/model/next_move.hpp"

namespace troupe::core {

const char* to_string(mover m) {
  switch (m) {
  case mover::this_operator:
    return "operator";
  case mover::cluster:
    return "cluster";
  case mover::controller:
    return "controller";
  case mover::program:
    return "program";
  case mover::person:
    return "person";
  case mover::nobody:
    break;
  }
  return "nobody";
}

std::string append_whose_move_if_known(std::string text,
                                       const std::optional<next_move>& whose) {
  return whose ? std::move(text) + " (whose move: " + whose->words + ")" : text;
}

} // namespace troupe::core
