#include "k8s/node/simulation.hpp"

#include <fnmatch.h>

namespace troupe::k8s::node {

std::optional<simulated_end> choose_simulated_end(const simulation& s,
                                                  const std::string& pod,
                                                  int earlier_failures) {
  for (const auto& f : s.failures)
    if (::fnmatch(f.pod_pattern.c_str(), pod.c_str(), 0) == 0
        && !(f.once && earlier_failures > 0)) {
      if (!f.after && s.run_time.count() == 0)
        return std::nullopt;
      return simulated_end{f.after.value_or(s.run_time), f.exit_code};
    }
  if (s.run_time.count() == 0)
    return std::nullopt;
  return simulated_end{s.run_time, 0};
}

} // namespace troupe::k8s::node
