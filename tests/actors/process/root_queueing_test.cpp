#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(root_queueing_test)

namespace {

struct queueing_fixture : cluster_fixture {
  void change(bool on) {
    core::queueing_options found;
    found.on = on;
    caf::anon_send(op.root, actors::queueing_changed{found});
    op.run_until_idle();
    op.advance(1ms);
  }
  int lists(const std::string& resource) {
    return api->calls["list " + resource];
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_change_of_queueing_starts_all_actors_again) {
  queueing_fixture s;
  auto jobs = s.lists("tfjobs");
  BOOST_TEST(s.lists("workloads") == 0);
  s.change(true);
  BOOST_TEST(s.lists("tfjobs") == jobs + 1);
  // The watch, and the search for those that Kueue has made.
  BOOST_TEST(s.lists("workloads") == 2);
  BOOST_TEST(*s.op.ready);
  // It is kept when actors fail, and when settings change.
  auto settings = std::make_shared<actors::actor_options>(*s.op.options);
  caf::anon_send(s.op.root, actors::actor_options_changed{settings});
  s.op.run_until_idle();
  s.change(true);
  BOOST_TEST(s.lists("workloads") == 4);
  s.change(false);
  BOOST_TEST(s.lists("tfjobs") == jobs + 3);
  BOOST_TEST(s.lists("workloads") == 4);
}

BOOST_AUTO_TEST_SUITE_END()
