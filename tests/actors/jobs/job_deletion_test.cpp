#include "actors/jobs/job_deletion.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;
using troupe::actors::job_deletion;

BOOST_AUTO_TEST_SUITE(job_deletion_test)

BOOST_AUTO_TEST_CASE(the_next_one_waits_for_an_answer_and_a_delay) {
  const troupe::k8s::failure why{troupe::k8s::ec::server_error, "no"};
  troupe::k8s::time_point now{1h};
  job_deletion d;
  BOOST_TEST(!d.is_in_flight());
  BOOST_TEST(!d.delayed_until(now));
  d.begin();
  BOOST_TEST(d.is_in_flight());
  auto first = d.record_failure_and_get_retry_time(why, now, 0);
  BOOST_TEST(!d.is_in_flight());
  BOOST_TEST((d.delayed_until(now) == first));
  BOOST_TEST(!d.delayed_until(first));
  d.begin();
  auto second = d.record_failure_and_get_retry_time(why, now, 0);
  BOOST_TEST((second > first));
  d.begin();
  BOOST_TEST((d.record_done_and_get_repeat_time(now) == now + 5min));
  BOOST_TEST(!d.is_in_flight());
  BOOST_TEST(d.delayed_until(now + 5min - 1s).has_value());
  BOOST_TEST(!d.delayed_until(now + 5min));
}

BOOST_AUTO_TEST_SUITE_END()
