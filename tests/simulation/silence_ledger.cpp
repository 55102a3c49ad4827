#include "tests/simulation/silence_ledger.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::simulation {

long long silence_ledger::silence_at(long long then, bool late) const {
  // In the same second it may have come later.
  auto after = signs_.lower_bound(then);
  auto since = after == signs_.begin() ? 0 : *std::prev(after);
  if (!late)
    since = std::max(since, operator_since_);
  return then - since;
}

bool is_stall(const recovery_policy& policy, long long silence,
              const std::string& action) {
  return policy.least_silence && silence >= *policy.least_silence
         && (action.empty() || policy.on_stalled == action);
}

std::string describe_early_stall(long long silence) {
  return "is said to be stalled " + std::to_string(silence)
         + " s after a sign of life";
}

} // namespace troupe::simulation
