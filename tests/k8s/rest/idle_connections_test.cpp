#include "k8s/rest/idle_connections.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s::rest;

namespace {

using connections = idle_connections<int>;
using std::chrono::seconds;

constexpr connections::time_point start{seconds{1000}};

/// As many as after a burst that has ended at `start`.
connections after_a_burst_of(int n) {
  connections made;
  for (int i = 1; i <= n; ++i)
    made.put(std::make_shared<int>(i), start);
  return made;
}

} // namespace

BOOST_AUTO_TEST_SUITE(idle_connections_test)

BOOST_AUTO_TEST_CASE(the_one_used_last_is_used_next) {
  auto idle = after_a_burst_of(2);
  BOOST_TEST(*idle.take(start) == 2);
  BOOST_TEST(*idle.take(start) == 1);
  BOOST_TEST(!idle.take(start));
}

BOOST_AUTO_TEST_CASE(more_than_sixteen_are_closed_soon_and_the_others_late) {
  auto idle = after_a_burst_of(100);
  auto next = *idle.take(start + seconds{14});
  BOOST_TEST(next == 100);
  BOOST_TEST(idle.size() == 99u);
  idle.put(std::make_shared<int>(next), start + seconds{15});
  BOOST_TEST(idle.size() == 16u);
  BOOST_TEST(*idle.take(start + seconds{59}) == 100);
  BOOST_TEST(idle.size() == 15u);
  BOOST_TEST(!idle.take(start + seconds{60}));
  BOOST_TEST(idle.size() == 0u);
}

BOOST_AUTO_TEST_CASE(what_a_lasting_load_uses_again_stays) {
  auto idle = after_a_burst_of(40);
  for (int s = 1; s <= 120; ++s) {
    std::vector<std::shared_ptr<int>> used;
    for (int i = 0; i < 40; ++i)
      used.push_back(idle.take(start + seconds{s}));
    for (auto& each : used) {
      BOOST_TEST_REQUIRE(each);
      idle.put(std::move(each), start + seconds{s});
    }
  }
  BOOST_TEST(idle.size() == 40u);
}

BOOST_AUTO_TEST_SUITE_END()
