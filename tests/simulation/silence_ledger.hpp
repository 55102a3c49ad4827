#pragma once

#include "tests/simulation/replica_types/recovery_rules.hpp"

#include <set>
#include <string>

namespace troupe::simulation {

/// The signs of life of one job. Says for how long it was silent at least.
class silence_ledger {
public:
  /// The job is new.
  void begin() { signs_.clear(); }
  /// A process knows of no silence from before it.
  void operator_started(long long now) { operator_since_ = now; }
  /// A report was taken, or a pod has begun to run.
  void sign_of_life(long long then) { signs_.insert(then); }

  /// Seconds. `late`: as a process knows it that has ended.
  long long silence_at(long long then, bool late) const;

private:
  std::set<long long> signs_;
  long long operator_since_ = 0;
};

/// Whether this policy takes so many seconds of silence for a stall and asks
/// for this then ("": for anything).
bool is_stall(const recovery_policy& policy, long long silence,
              const std::string& action);
std::string describe_early_stall(long long silence);

} // namespace troupe::simulation
