#include "frameworks/core/model/expectations.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::core;
using namespace std::chrono_literals;
using troupe::fixtures::base_time;

BOOST_AUTO_TEST_SUITE(expectations_test)

namespace {

const slot w0{"worker", 0};
const auto t0 = base_time;

} // namespace

BOOST_AUTO_TEST_CASE(a_creation_is_open_until_it_is_met_or_withdrawn) {
  expectations e;
  BOOST_TEST(!e.is_creation_blocked({child_kind::pod, w0}, t0));
  e.expect_creation({child_kind::pod, w0}, t0);
  BOOST_TEST(e.is_creation_blocked({child_kind::pod, w0}, t0));
  BOOST_TEST(!e.is_creation_blocked({child_kind::service, w0}, t0));
  BOOST_TEST(!e.is_creation_blocked({child_kind::pod, slot{"worker", 1}}, t0));
  BOOST_TEST(!e.next_retry_at(t0).has_value());
  BOOST_TEST(e.is_creation_blocked({child_kind::pod, w0}, t0 + 24h));

  e.forget_creation({child_kind::pod, w0});
  BOOST_TEST(!e.is_creation_blocked({child_kind::pod, w0}, t0));
  e.expect_creation({child_kind::pod, w0}, t0);
  e.end_creation_expectation({child_kind::pod, w0});
  BOOST_TEST(!e.is_creation_blocked({child_kind::pod, w0}, t0));
  BOOST_TEST(!e.next_retry_at(t0).has_value());
}

BOOST_AUTO_TEST_CASE(a_creation_is_in_flight_until_its_order_ends) {
  expectations e;
  const creation_key key{child_kind::pod, w0};
  BOOST_TEST(!e.has_creation_in_flight());
  e.expect_creation(key, t0);
  BOOST_TEST(e.has_creation_in_flight());
  e.block_creation_after_failure(key, t0 + 1s);
  BOOST_TEST(!e.has_creation_in_flight());
  e.expect_creation(key, t0 + 1s);
  BOOST_TEST(e.has_creation_in_flight());
  e.end_creation_expectation(key);
  BOOST_TEST(!e.has_creation_in_flight());
  e.forget_creation(key);
  BOOST_TEST(!e.has_creation_in_flight());
}

BOOST_AUTO_TEST_CASE(a_refusal_holds_until_its_time_and_counts) {
  expectations e;
  e.expect_creation({child_kind::pod, w0}, t0);
  e.block_creation_after_failure({child_kind::pod, w0}, t0 + 1s);
  BOOST_TEST(e.consecutive_creation_failures({child_kind::pod, w0}) == 1);
  BOOST_TEST(e.is_creation_blocked({child_kind::pod, w0}, t0 + 999ms));
  BOOST_TEST((e.next_retry_at(t0) == t0 + 1s));
  BOOST_TEST(!e.is_creation_blocked({child_kind::pod, w0}, t0 + 1s));
  BOOST_TEST(!e.next_retry_at(t0 + 1s).has_value());

  e.expect_creation({child_kind::pod, w0}, t0 + 1s);
  BOOST_TEST(e.is_creation_blocked({child_kind::pod, w0}, t0 + 2s));
  e.end_creation_expectation(
      {child_kind::pod, w0}); // Never left; the count stays.
  BOOST_TEST(!e.is_creation_blocked({child_kind::pod, w0}, t0 + 2s));
  e.expect_creation({child_kind::pod, w0}, t0 + 2s);
  e.block_creation_after_failure({child_kind::pod, w0}, t0 + 5s);
  BOOST_TEST(e.consecutive_creation_failures({child_kind::pod, w0}) == 2);
  e.forget_creation({child_kind::pod, w0});
  BOOST_TEST(e.consecutive_creation_failures({child_kind::pod, w0}) == 0);
}

BOOST_AUTO_TEST_CASE(a_wait_for_a_taken_name_can_be_ended) {
  const creation_key key{child_kind::pod, w0};
  for (auto code : {k8s::ec::exists, k8s::ec::forbidden})
    for (bool again : {false, true}) {
      expectations e;
      e.expect_creation(key, t0);
      e.block_creation_after_failure(key, t0 + 60s, {code, ""});
      if (again)
        e.expect_creation(key, t0 + 60s);
      BOOST_TEST(e.creations_of_taken_names(child_kind::service).empty());
      BOOST_TEST(e.creations_of_taken_names(child_kind::pod).size()
                 == (code == k8s::ec::exists ? 1u : 0u));
      // What is in flight stays, but has failed never before.
      BOOST_TEST(e.forget_failures_and_end_back_off(key) == !again);
      BOOST_TEST(e.is_creation_blocked(key, t0 + 1s) == again);
      BOOST_TEST(e.consecutive_creation_failures(key) == 0);
    }
  expectations none;
  BOOST_TEST(!none.forget_failures_and_end_back_off(key));
}

BOOST_AUTO_TEST_CASE(a_clock_that_is_set_back_ends_a_back_off_and_no_order) {
  expectations e;
  e.expect_creation({child_kind::pod, w0}, t0);
  BOOST_TEST(e.is_creation_blocked({child_kind::pod, w0}, t0 - 1h));
  e.block_creation_after_failure({child_kind::pod, w0}, t0 + 1s);
  BOOST_TEST(!e.is_creation_blocked({child_kind::pod, w0}, t0 - 1h));
  BOOST_TEST(!e.next_retry_at(t0 - 1h).has_value());
  BOOST_TEST(e.count_blocking_expectations(t0 - 1h).count == 0);
}

BOOST_AUTO_TEST_CASE(changes_go_by_uid) {
  expectations e;
  e.expect_operation(child_kind::pod, "a", operation::adopt, t0);
  BOOST_REQUIRE(e.report_rows().size() == 1u);
  BOOST_TEST(to_string(*e.report_rows()[0].action) == "adopt");
  BOOST_TEST(e.is_child_operation_blocked(child_kind::pod, "a", t0));
  BOOST_TEST(!e.is_child_operation_blocked(child_kind::pod, "b", t0));
  e.block_operation_after_failure(child_kind::pod, "a", t0 + 3s);
  BOOST_TEST(e.consecutive_operation_failures(child_kind::pod, "a") == 1);
  BOOST_TEST(!e.is_child_operation_blocked(child_kind::pod, "a", t0 + 3s));
  e.forget_operation(child_kind::pod, "a");
  BOOST_TEST(e.consecutive_operation_failures(child_kind::pod, "a") == 0);
}

BOOST_AUTO_TEST_CASE(outstanding_are_those_that_block) {
  expectations e;
  BOOST_TEST(e.count_blocking_expectations(t0).count == 0u);
  BOOST_TEST(!e.count_blocking_expectations(t0).oldest);
  e.expect_creation({child_kind::pod, w0}, t0 + 1s);
  e.expect_operation(child_kind::service, "uid", operation::delete_object, t0);
  BOOST_TEST(e.count_blocking_expectations(t0 + 2s).count == 2u);
  BOOST_TEST((e.count_blocking_expectations(t0 + 2s).oldest == t0));
  // Of one that failed the count of failures remains after its back-off.
  e.block_operation_after_failure(child_kind::service, "uid", t0 + 9s);
  BOOST_TEST(e.count_blocking_expectations(t0 + 8s).count == 2u);
  BOOST_TEST(e.count_blocking_expectations(t0 + 9s).count == 1u);
  BOOST_TEST((e.count_blocking_expectations(t0 + 9s).oldest == t0 + 1s));
}

BOOST_AUTO_TEST_CASE(rows_tell_the_oldest_first) {
  expectations e;
  e.expect_creation({child_kind::pod, w0}, t0 + 1s);
  e.expect_operation(child_kind::service, "uid", operation::delete_object, t0);
  e.block_operation_after_failure(child_kind::service, "uid", t0 + 9s,
                                  {k8s::ec::forbidden, "no right"});
  auto rows = e.report_rows();
  BOOST_REQUIRE_EQUAL(rows.size(), 2u);
  BOOST_TEST(rows[0].subject == "uid");
  BOOST_TEST((rows[0].action == operation::delete_object));
  BOOST_TEST(rows[0].attempts == 1);
  BOOST_TEST((rows[0].last_failure.code == k8s::ec::forbidden));
  BOOST_TEST(rows[0].last_failure.message == "no right");
  BOOST_TEST((rows[0].retry_not_before == t0 + 9s));
  BOOST_TEST(rows[1].subject == "worker-0");
  BOOST_TEST(!rows[1].action);
}

BOOST_AUTO_TEST_SUITE_END()
