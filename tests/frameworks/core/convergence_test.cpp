#include "tests/frameworks/core/cluster_model.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(convergence_test)

namespace {

constexpr int most_rounds = 40;

/// Passes, each carried out completely, until nothing is left to do.
int run_until_idle(cluster_model& m) {
  for (int round = 1; round <= most_rounds; ++round) {
    m.pass();
    if (m.is_idle()) {
      auto then = m.waits_until();
      if (!then)
        return round;
      m.s.now = *then;
    }
    m.execute_orders(1);
    m.save(1);
    m.finish_deletions();
    m.delete_foreign_children();
  }
  return 0;
}

/// Orders and writes get lost, pods run and end, the operator is restarted, the
/// spec changes.
void run_with_faults(cluster_model& m, std::uint64_t seed) {
  for (std::uint64_t round = 0; round < 12 && !m.job_removed; ++round) {
    m.pass();
    m.execute_orders(0.7);
    m.save(0.7);
    m.run_pods();
    if ((seed + round) % 3 == 0)
      m.finish_deletions();
    if ((seed + round) % 5 == 0)
      m.restart_operator();
    if ((seed + round) % 11 == 0)
      m.change_spec();
  }
}

void check(std::uint64_t seed, bool with_faults) {
  cluster_model m{seed};
  if (with_faults)
    run_with_faults(m, seed);
  bool idle = run_until_idle(m) > 0;
  auto violation = m.violation;
  if (violation.empty() && !idle)
    violation = "does not come to rest: " + m.s.last.summary;
  if (violation.empty())
    violation = m.violation_when_idle();
  BOOST_TEST(violation.empty(), "seed " << seed << ": " << violation);
}

} // namespace

BOOST_AUTO_TEST_CASE(passes_come_to_rest_in_the_right_state_from_any_state) {
  for (std::uint64_t seed = 1; seed <= 1200; ++seed)
    check(seed, false);
}

BOOST_AUTO_TEST_CASE(so_they_do_after_any_faults) {
  for (std::uint64_t seed = 1; seed <= 1200; ++seed)
    check(seed, true);
}

BOOST_AUTO_TEST_CASE(no_limit_is_exceeded_whatever_happens) {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    cluster_model m{seed};
    m.s.j.policy.backoff_limit = 2; // The spec does not change.
    for (int round = 0; round < 30; ++round) {
      m.pass();
      m.execute_orders(0.8);
      m.save(0.8);
      m.run_pods();
      if (round % 2 == 0)
        m.finish_deletions();
      if (round % 7 == 6)
        m.restart_operator();
    }
    BOOST_TEST(m.violation == "");
    BOOST_TEST(m.replaced.size() <= 2u, "seed " << seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()
