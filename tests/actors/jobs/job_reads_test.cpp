#include "actors/jobs/job_reads.hpp"

#include <boost/test/unit_test.hpp>

using troupe::actors::job_reads;
using troupe::core::child_kind;
using state = job_reads::state;

BOOST_AUTO_TEST_SUITE(job_reads_test)

namespace {

const troupe::k8s::failure why{troupe::k8s::ec::server_error, "no"};
const troupe::k8s::time_point now{};

} // namespace

BOOST_AUTO_TEST_CASE(a_recovery_is_complete_when_the_last_list_is_read) {
  job_reads r;
  BOOST_TEST(!r.is_recovering());
  r.begin_recovery();
  BOOST_TEST((r.current_state() == state::reading_job));
  r.begin_lists({child_kind::pod, child_kind::service});
  BOOST_TEST((r.current_state() == state::listing_children));
  r.on_list_read(child_kind::service);
  r.on_list_read(child_kind::service); // Twice is once.
  BOOST_TEST(r.is_recovering());
  r.on_list_read(child_kind::pod);
  BOOST_TEST(!r.is_recovering());
}

BOOST_AUTO_TEST_CASE(a_failure_begins_anew_after_a_pause_that_grows) {
  job_reads r;
  r.begin_recovery();
  auto first = r.record_failure_and_get_retry_time(why, now, 0);
  BOOST_TEST((r.current_state() == state::waiting));
  r.begin_recovery();
  r.begin_lists({child_kind::pod, child_kind::service});
  r.on_list_read(child_kind::pod);
  auto second = r.record_failure_and_get_retry_time(why, now, 0);
  BOOST_TEST((now < first && first < second));
  r.begin_recovery();
  r.begin_lists({child_kind::pod, child_kind::service});
  r.on_list_read(child_kind::service);
  BOOST_TEST(r.is_recovering()); // The list of before does not count.
  r.on_list_read(child_kind::pod);
  r.begin_recovery();
  BOOST_TEST((r.record_failure_and_get_retry_time(why, now, 0) == first));
}

BOOST_AUTO_TEST_CASE(a_read_of_the_job_alone_is_made_again) {
  job_reads r;
  BOOST_TEST(!r.retry_at());
  r.on_job_asked_for();
  auto first = r.record_failure_and_get_retry_time(why, now, 0);
  BOOST_TEST((r.retry_at() == first));
  BOOST_TEST(!r.is_recovering());
  r.on_job_asked_for();
  BOOST_TEST(!r.retry_at());
  BOOST_TEST((r.record_failure_and_get_retry_time(why, now, 0) > first));
  r.on_job_asked_for();
  r.on_job_read();
  BOOST_TEST(!r.retry_at());
  BOOST_TEST((r.record_failure_and_get_retry_time(why, now, 0) == first));
  // Its failures are not those of a recovery.
  r.begin_recovery();
  BOOST_TEST((r.record_failure_and_get_retry_time(why, now, 0) == first));
}

BOOST_AUTO_TEST_SUITE_END()
