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
  BOOST_TEST((a.next() == now + 500ms));
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

BOOST_AUTO_TEST_CASE(jobs_of_a_namespace_create_pods_in_turn) {
  auto now = *from_rfc3339("2026-01-01T00:00:00Z");
  job_pod_turns t;
  int taken = 0;
  while (t.take("n", "big", now))
    ++taken;
  BOOST_TEST(taken == 100);
  BOOST_TEST(!t.take("n", "small", now));
  BOOST_TEST(!t.take("n", "third", now));
  BOOST_TEST(t.take("other", "else", now));
  BOOST_TEST(!t.next("other").has_value());
  std::string order;
  for (int i = 1; i <= 5; ++i) {
    auto next = t.next("n").value();
    BOOST_TEST((next.second == now + i * 50ms), i);
    for (auto uid : {"big", "small", "third"})
      if (t.take("n", uid, next.second))
        order += std::string(uid) + " ";
    if (i == 3)
      t.leave("n", "third");
  }
  BOOST_TEST(order == "big small third big small ");
  t.leave("n", "nobody");
  t.forget_namespace("n");
  BOOST_TEST(t.take("n", "big", now + 1s));
}

BOOST_AUTO_TEST_SUITE_END()
