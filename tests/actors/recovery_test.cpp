#include "actors/recovery.hpp"

#include <boost/test/unit_test.hpp>

using troupe::actors::recovery;
using troupe::core::child_kind;
using state = recovery::state;

BOOST_AUTO_TEST_SUITE(recovery_test)

BOOST_AUTO_TEST_CASE(it_is_complete_when_the_last_list_is_read) {
  recovery r;
  BOOST_TEST(r.complete());
  r.begin();
  BOOST_TEST((r.current() == state::reading_job));
  r.begin_listing_children({child_kind::pod, child_kind::service});
  BOOST_TEST((r.current() == state::listing_children));
  r.list_read(child_kind::service);
  r.list_read(child_kind::service); // Twice is once.
  BOOST_TEST(!r.complete());
  r.list_read(child_kind::pod);
  BOOST_TEST(r.complete());
}

BOOST_AUTO_TEST_CASE(a_failure_begins_anew_after_a_pause_that_grows) {
  const troupe::k8s::failure why{troupe::k8s::ec::server_error, "no"};
  recovery r;
  r.begin();
  auto first = r.failed(why, 0);
  BOOST_TEST((r.current() == state::waiting));
  r.begin();
  r.begin_listing_children({child_kind::pod, child_kind::service});
  r.list_read(child_kind::pod);
  auto second = r.failed(why, 0);
  BOOST_TEST((second > first));
  r.begin();
  r.begin_listing_children({child_kind::pod, child_kind::service});
  r.list_read(child_kind::service);
  BOOST_TEST(!r.complete()); // The list of before does not count.
  r.list_read(child_kind::pod);
  r.begin();
  BOOST_TEST((r.failed(why, 0) == first));
}

BOOST_AUTO_TEST_SUITE_END()
