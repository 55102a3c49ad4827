#include "actors/jobs/own_calls.hpp"

#include <boost/test/unit_test.hpp>

using troupe::actors::own_calls;
using troupe::core::child_kind;
using purpose = own_calls::purpose;

BOOST_AUTO_TEST_SUITE(own_calls_test)

BOOST_AUTO_TEST_CASE(an_answer_belongs_to_one_call) {
  own_calls calls;
  auto status = calls.record_sent({purpose::write_status});
  auto list = calls.record_sent({purpose::list_children, child_kind::service});
  auto read =
      calls.record_sent({purpose::read_for_request, child_kind::pod, 7});
  auto answered = calls.take_answered(list);
  BOOST_REQUIRE(answered.has_value());
  BOOST_TEST((answered->what == purpose::list_children));
  BOOST_TEST((answered->listed == child_kind::service));
  BOOST_TEST(!calls.take_answered(list)); // Once only.
  BOOST_TEST(calls.take_answered(read)->number == 7u);
  BOOST_TEST(calls.take_answered(status).has_value());
  BOOST_TEST(!calls.take_answered(read + 1));
}

BOOST_AUTO_TEST_CASE(a_recovery_wants_no_earlier_read) {
  struct row {
    purpose what;
    bool kept;
  };
  const row rows[] = {
      {purpose::write_status, true},     {purpose::read_job, false},
      {purpose::delete_job, true},       {purpose::read_group_events, true},
      {purpose::read_queue, true},       {purpose::list_children, false},
      {purpose::read_for_request, true},
  };
  for (const auto& r : rows) {
    own_calls calls;
    auto tag = calls.record_sent({r.what});
    calls.forget_reads_of_job_and_children();
    auto later = calls.record_sent({r.what});
    BOOST_TEST(calls.take_answered(tag).has_value() == r.kept);
    BOOST_TEST(calls.take_answered(later).has_value());
  }
}

BOOST_AUTO_TEST_SUITE_END()
