#pragma once

#include "tests/exploration/setting.hpp"

#include <memory>
#include <string>
#include <vector>

namespace troupe::exploration {

struct world_row {
  std::string name;
  const char* kind; ///< Whose row the job has.
  std::string spec; ///< JSON text.
  bounds may_happen;
  bool in_ci;          ///< Else only in `make explore`.
  bool prunes = false; ///< See setting.
  bool with_services = false;
  bool queued = false; ///< The job is in a queue of Kueue's.

  std::unique_ptr<setting> make() const;
};

const std::vector<world_row>& all_worlds();
const world_row* find_world(const std::string& name);

} // namespace troupe::exploration
