#include "actors/jobs/recovery.hpp"

#include <boost/test/unit_test.hpp>

using troupe::actors::recovery;
using troupe::core::child_kind;
using state = recovery::state;

BOOST_AUTO_TEST_SUITE(recovery_test)

BOOST_AUTO_TEST_CASE(it_is_complete_when_the_last_list_is_read) {
  recovery r;
  BOOST_TEST(r.is_complete());
  r.begin();
  BOOST_TEST((r.current_state() == state::reading_job));
  r.on_job_read({child_kind::pod, child_kind::service});
  BOOST_TEST((r.current_state() == state::listing_children));
  r.on_list_read(child_kind::service);
  r.on_list_read(child_kind::service); // Twice is once.
  BOOST_TEST(!r.is_complete());
  r.on_list_read(child_kind::pod);
  BOOST_TEST(r.is_complete());
}

BOOST_AUTO_TEST_CASE(a_failure_begins_anew_after_a_pause_that_grows) {
  const troupe::k8s::failure why{troupe::k8s::ec::server_error, "no"};
  recovery r;
  r.begin();
  auto first = r.on_failure(why, 0);
  BOOST_TEST((r.current_state() == state::waiting));
  r.begin();
  r.on_job_read({child_kind::pod, child_kind::service});
  r.on_list_read(child_kind::pod);
  auto second = r.on_failure(why, 0);
  BOOST_TEST((second > first));
  r.begin();
  r.on_job_read({child_kind::pod, child_kind::service});
  r.on_list_read(child_kind::service);
  BOOST_TEST(!r.is_complete()); // The list of before does not count.
  r.on_list_read(child_kind::pod);
  r.begin();
  BOOST_TEST((r.on_failure(why, 0) == first));
}

BOOST_AUTO_TEST_SUITE_END()
