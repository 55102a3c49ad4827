#include "k8s/apiserver/controllers/job_queue.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(job_queue_)

BOOST_AUTO_TEST_CASE(namespaces_take_turns) {
  job_queue q;
  for (auto uid : {"a1", "a2", "a3", "a1"})
    q.add("a", uid);
  q.add("b", "b1");
  q.add("c", "c1");
  std::vector<std::string> order;
  while (auto uid = q.take())
    order.push_back(*uid);
  std::vector<std::string> expected{"a1", "b1", "c1", "a2", "a3"};
  BOOST_TEST(order == expected, boost::test_tools::per_element());
  BOOST_TEST(q.empty());
  q.add("a", "a1");
  BOOST_TEST(q.take().value() == "a1");
}

BOOST_AUTO_TEST_CASE(an_allowance_comes_back_with_time) {
  auto now = *from_rfc3339("2026-01-01T00:00:00Z");
  job_allowance a{3, 2};
  for (int i = 0; i < 3; ++i)
    BOOST_TEST(a.take(now), i);
  BOOST_TEST(!a.take(now));
  BOOST_TEST((a.next(now) == now + 500ms));
  BOOST_TEST(a.take(now + 500ms));
  BOOST_TEST(!a.take(now + 500ms));
  // The clock is set back.
  BOOST_TEST(!a.take(now - 1h));
  BOOST_TEST(a.take(now - 1h + 500ms));
  // No more than at first comes back.
  int taken = 0;
  while (a.take(now + 24h))
    ++taken;
  BOOST_TEST(taken == 3);
}

BOOST_AUTO_TEST_SUITE_END()
