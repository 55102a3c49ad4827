#include "tests/frameworks/core/model.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

namespace {

constexpr int most_rounds = 40;

/// Passes, each wholly carried out, until nothing is left to do.
int settle(model& m) {
  for (int round = 1; round <= most_rounds; ++round) {
    m.pass();
    if (m.at_rest()) {
      auto then = m.waits_until();
      if (!then)
        return round;
      m.s.now = *then;
    }
    m.execute_orders(1);
    m.save(1);
    m.bury();
    m.strangers_leave();
  }
  return 0;
}

/// Bad luck: orders and writes get lost, pods live and die, the operator is
/// killed, the owner changes his mind.
void trouble(model& m, std::uint64_t seed) {
  for (std::uint64_t round = 0; round < 12 && !m.job_removed; ++round) {
    m.pass();
    m.execute_orders(0.7);
    m.save(0.7);
    m.live();
    if ((seed + round) % 3 == 0)
      m.bury();
    if ((seed + round) % 5 == 0)
      m.crash();
    if ((seed + round) % 11 == 0)
      m.edit();
  }
}

void check(std::uint64_t seed, bool with_trouble) {
  model m{seed};
  if (with_trouble)
    trouble(m, seed);
  bool settled = settle(m) > 0;
  auto wrong = m.wrong;
  if (wrong.empty() && !settled)
    wrong = "does not settle: " + m.s.last.verdict;
  if (wrong.empty())
    wrong = m.wrong_at_rest();
  BOOST_TEST(wrong.empty(), "seed " << seed << ": " << wrong);
}

} // namespace

BOOST_AUTO_TEST_SUITE(convergence)

BOOST_AUTO_TEST_CASE(
    from_any_state_passes_come_to_rest_in_the_right_slot_state) {
  for (std::uint64_t seed = 1; seed <= 1200; ++seed)
    check(seed, false);
}

BOOST_AUTO_TEST_CASE(so_they_do_after_any_trouble) {
  for (std::uint64_t seed = 1; seed <= 1200; ++seed)
    check(seed, true);
}

BOOST_AUTO_TEST_CASE(no_limit_is_outrun_whatever_happens) {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    model m{seed};
    m.s.j.policy.backoff_limit = 2; // And chance never edits the job.
    for (int round = 0; round < 30; ++round) {
      m.pass();
      m.execute_orders(0.8);
      m.save(0.8);
      m.live();
      if (round % 2 == 0)
        m.bury();
      if (round % 7 == 6)
        m.crash();
    }
    BOOST_TEST(m.wrong == "");
    BOOST_TEST(m.replaced.size() <= 2u, "seed " << seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()
