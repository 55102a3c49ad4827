#include "frameworks/core/pass/scaling.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(scaling_test)

BOOST_AUTO_TEST_CASE(pods_then_services_type_by_type_in_the_kinds_order) {
  job_fixture s{make_job().workers(2).servers(1)};
  s.pass();
  BOOST_TEST(
      s.decisions()
          == (strings{"create pod ps-0", "create service ps-0",
                      "create pod worker-0", "create pod worker-1",
                      "create service worker-0", "create service worker-1"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(types_of_ones_own_come_last) {
  job_fixture s{make_job().type("Boss", 1).workers(1)};
  s.pass();
  BOOST_TEST(s.decisions().front() == "create pod worker-0");
  BOOST_TEST(s.decisions().back() == "create service boss-0");
}

BOOST_AUTO_TEST_CASE(what_is_expected_is_not_asked_again) {
  job_fixture s{make_job().workers(2)};
  s.all_services();
  s.open.expect_creation({core::child_kind::pod, core::slot{"worker", 0}},
                         s.now);
  s.pass();
  BOOST_TEST(s.decisions() == (strings{"create pod worker-1"}),
             boost::test_tools::per_element());
  BOOST_TEST(!s.last.requeue_at.has_value());
  // A refused one is asked again when its time has come.
  s.open.block_creation_after_failure(
      {core::child_kind::pod, core::slot{"worker", 0}},
      s.now + std::chrono::seconds{9});
  s.pass();
  BOOST_TEST(s.decisions() == (strings{"create pod worker-1"}),
             boost::test_tools::per_element());
  BOOST_REQUIRE(s.last.requeue_at.has_value());
  s.now = *s.last.requeue_at;
  s.pass();
  BOOST_TEST(s.decisions()
                 == (strings{"create pod worker-0", "create pod worker-1"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_made_is_not_tried_at_every_place) {
  job_fixture s{make_job_of("JAXJob").workers(100'000)};
  s.pass();
  BOOST_TEST(s.decisions().size() == core::max_decisions);
  auto key = [](int i) {
    return core::creation_key{core::child_kind::pod, core::slot{"worker", i}};
  };
  const int most = static_cast<int>(core::max_decisions);
  for (int i = 0; i < most; ++i)
    s.open.expect_creation(key(i), s.now);
  s.pass();
  BOOST_TEST(s.decisions().empty());
  // One has succeeded, so another is tried.
  s.open.forget_creation(key(7));
  s.observe({pod("worker", 7)});
  s.pass();
  BOOST_TEST(s.decisions()
                 == (strings{"create pod worker-" + std::to_string(most)}),
             boost::test_tools::per_element());
  // One has failed, so it is tried again, and no other.
  s.open.expect_creation(key(most), s.now);
  s.open.block_creation_after_failure(key(3), s.now + std::chrono::seconds{1});
  s.pass();
  BOOST_TEST(s.decisions().empty());
  BOOST_REQUIRE(s.last.requeue_at.has_value());
  s.now = *s.last.requeue_at;
  s.pass();
  BOOST_TEST(s.decisions() == (strings{"create pod worker-3"}),
             boost::test_tools::per_element());
  // An orphan takes no creation.
  s.now -= std::chrono::seconds{1};
  s.observe({pod("worker", 99'999).orphan()});
  s.pass();
  BOOST_TEST(s.decisions() == (strings{"adopt pod job-worker-99999"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(out_of_range_goes_and_gaps_below_it_stay_empty) {
  // Asked for 1; there are 0 and 3, a gap at 1 and 2.
  job_fixture s{make_job().workers(1)};
  s.observe({pod("worker", 0).running(), service("worker", 0),
             pod("worker", 3).running(), service("worker", 3)});
  s.pass();
  BOOST_TEST(s.decisions()
                 == (strings{"delete pod job-worker-3",
                             "delete service job-worker-3"}),
             boost::test_tools::per_element());
  BOOST_TEST(s.status.replicas.at("Worker").active == 1);
}

BOOST_AUTO_TEST_CASE(no_replicas_is_a_state_to_rest_in) {
  job_fixture s{make_job().workers(0).servers(0)};
  s.pass();
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
  BOOST_TEST(s.conditions() == "Created");
  s.observe({pod("worker", 0).running(), service("worker", 0)});
  s.pass();
  BOOST_TEST(s.decisions()
                 == (strings{"delete pod job-worker-0",
                             "delete service job-worker-0"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_type_that_was_taken_out_of_the_spec_goes) {
  job_fixture s{make_job().workers(1)};
  s.all_services().observe({pod("worker", 0), pod("ps", 0), service("ps", 0)});
  s.pass();
  BOOST_TEST(s.decisions()
                 == (strings{"delete pod job-ps-0", "delete service job-ps-0"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_two_in_one_slot_the_better_stays) {
  struct row {
    child_builder stays, goes;
  } rows[] = {
      {pod("worker", 0).uid("b").succeeded(), pod("worker", 0).uid("a")},
      {pod("worker", 0).uid("b").running(), pod("worker", 0).uid("a")},
      {pod("worker", 0).uid("b"), pod("worker", 0).uid("a").failed()},
      {pod("worker", 0).uid("a"), pod("worker", 0).uid("b")},
      {pod("worker", 0).uid("b"), pod("worker", 0).uid("a").name("x")},
  };
  for (auto& r : rows) {
    job_fixture s{
        make_job().workers(2).all_workers().restart_policy("OnFailure")};
    s.all_services().observe({pod("worker", 1).uid("z"), r.stays, r.goes});
    s.pass();
    BOOST_REQUIRE_EQUAL(s.last.decisions.size(), 1u);
    auto* d = std::get_if<core::delete_child>(&s.last.decisions.front());
    BOOST_REQUIRE(d);
    BOOST_TEST(d->uid == r.goes.object(s.j).meta.uid);
  }
}

BOOST_AUTO_TEST_CASE(a_child_being_deleted_keeps_its_slot_until_it_is_gone) {
  for (const auto& going : {pod("worker", 0).running().deleting(),
                            pod("worker", 0).orphan().deleting()}) {
    job_fixture s{make_job().workers(1)};
    s.all_services().observe({going});
    s.pass();
    BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
    s.seen.record_deleted(core::child_kind::pod, "pod-worker-0");
    s.pass();
    BOOST_TEST(s.decisions() == (strings{"create pod worker-0"}),
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(children_without_a_slot_are_left_until_the_job_ends) {
  job_fixture s{make_job().workers(1)};
  s.all_services().observe({pod("worker", 0), pod("worker", 1).index("-1"),
                            pod("worker", 2).index("99999999999999"),
                            pod("worker", 3).index("")});
  s.pass();
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_crowd_is_made_in_several_passes) {
  job_fixture s{make_job().workers(5000)};
  s.pass();
  BOOST_TEST(s.last.decisions.size() == core::max_decisions);
}

BOOST_AUTO_TEST_CASE(a_changed_template_touches_no_pod) {
  job_fixture s{make_job().workers(1)};
  s.all_services().observe({pod("worker", 0).running()});
  s.pass();
  auto changed = make_job().workers(1);
  changed.pod_template("Worker")["spec"]["containers"][0]["image"] = "b";
  s.j = changed;
  s.pass();
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
