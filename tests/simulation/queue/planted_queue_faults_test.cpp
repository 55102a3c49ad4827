// A pass that treats a job in a queue wrongly is found by some life.
#include "frameworks/core/pass/plan.hpp"
#include "tests/simulation/lives.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace troupe;
using namespace troupe::simulation;

/// What the linker has put in place of core::plan(), and that.
core::plan_result
planted_plan(const core::job& j, const core::observed_children& seen,
             const core::expectations& open, const core::job_status& status,
             const core::job_status& saved, core::time_point now,
             const core::cluster_options& cluster) asm("__wrap_" PLAN_SYMBOL);
core::plan_result
real_plan(const core::job& j, const core::observed_children& seen,
          const core::expectations& open, const core::job_status& status,
          const core::job_status& saved, core::time_point now,
          const core::cluster_options& cluster) asm("__real_" PLAN_SYMBOL);

namespace {

struct planted_fault {
  bool ignores_queue = false;
};

planted_fault& present_fault() {
  static planted_fault present;
  return present;
}

struct log_level_fixture {
  log_level_fixture() { start_log(); }
};

constexpr std::uint64_t most_lives = 400;

/// Whether some life finds this.
bool finds(const planted_fault& fault, const char* kind,
           const std::string& wanted) {
  present_fault() = fault;
  bool found = false;
  for (const auto& k : simulated_kinds())
    if (k.name == std::string{kind})
      for (std::uint64_t seed = 1; seed <= most_lives && !found; ++seed)
        for (const auto& what : simulate(random_life(k, seed)).violations)
          found |= what.find(wanted) != what.npos;
  present_fault() = {};
  return found;
}

} // namespace

core::plan_result
planted_plan(const core::job& j, const core::observed_children& seen,
             const core::expectations& open, const core::job_status& status,
             const core::job_status& saved, core::time_point now,
             const core::cluster_options& cluster) {
  const auto& fault = present_fault();
  auto other = cluster;
  if (fault.ignores_queue)
    other.queueing.on = false;
  return real_plan(j, seen, open, status, saved, now, other);
}

BOOST_TEST_GLOBAL_FIXTURE(log_level_fixture);

BOOST_AUTO_TEST_CASE(pods_without_quota_are_found) {
  BOOST_TEST(finds({true}, "PyTorchJob-queued", "and nothing is granted"));
  BOOST_TEST(finds({true}, "MPIJob-ssh-queued", "and nothing is granted"));
  BOOST_TEST(finds({true}, "MPIJob-ssh-queued", "lets its launcher have"));
}
