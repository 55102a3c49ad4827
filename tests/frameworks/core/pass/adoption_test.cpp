#include "frameworks/core/pass/adoption.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(adoption_test)

BOOST_AUTO_TEST_CASE(an_orphan_for_an_empty_slot_is_adopted_instead_of_made) {
  job_fixture s{make_job().workers(2)};
  s.all_services().observe({pod("worker", 0).orphan()});
  s.pass();
  BOOST_TEST(s.decisions()
                 == (strings{"adopt pod job-worker-0", "create pod worker-1"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_orphan_service_is_adopted_too) {
  job_fixture s{make_job().workers(1)};
  s.observe({pod("worker", 0), service("worker", 0).orphan()});
  s.pass();
  BOOST_TEST(s.decisions() == (strings{"adopt service job-worker-0"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_orphan_is_left_alone_when) {
  struct row {
    const char* why;
    child_builder orphan;
  } rows[] = {
      {"its place is taken", pod("worker", 0).uid("x").orphan()},
      {"its place is out of range", pod("worker", 7).orphan()},
      {"its name is not the one others look for",
       pod("worker", 1).name("other").orphan()},
      {"its labels name another job", pod("worker", 1).of_job("b").orphan()},
      {"somebody else controls it", pod("worker", 1).owned_by("them")},
      {"its index is no number", pod("worker", 1).index("one").orphan()},
  };
  for (auto& r : rows) {
    job_fixture s{make_job().workers(2)};
    s.all_services().observe({pod("worker", 0), pod("worker", 1).uid("y")});
    s.observe(r.orphan);
    s.pass();
    BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(an_adoption_under_way_is_neither_repeated_nor_doubled) {
  job_fixture s{make_job().workers(1)};
  s.all_services().observe({pod("worker", 0).orphan()});
  s.open.expect_operation(core::child_kind::pod, "pod-worker-0",
                          core::operation::adopt, s.now);
  s.pass();
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_child_that_changed_its_labels_is_released) {
  job_fixture s{make_job().workers(1)};
  s.all_services().observe({pod("worker", 0).name("mine").of_job("b")});
  s.pass();
  BOOST_TEST(s.decisions()
                 == (strings{"release pod mine", "create pod worker-0"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(it_is_not_deleted_with_the_pods_of_the_job) {
  auto taken = pod("worker", 1).name("mine").of_job("b");
  job_fixture suspended{make_job().workers(1).suspended()};
  suspended.observe({pod("worker", 0), taken});
  suspended.pass();
  BOOST_TEST(suspended.decisions()
                 == (strings{"release pod mine", "delete pod job-worker-0"}),
             boost::test_tools::per_element());

  job_fixture over{make_job().workers(1).clean_pod_policy("All")};
  over.saved.set_condition("Succeeded", true, "TFJobSucceeded", "", over.now);
  over.status = over.saved;
  over.observe({pod("worker", 0).succeeded(), taken});
  over.pass();
  BOOST_TEST(over.decisions()
                 == (strings{"release pod mine", "delete pod job-worker-0"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(nothing_is_adopted_by_a_job_that_is) {
  for (auto& j :
       {make_job().workers(1).deleting(), make_job().workers(1).suspended()}) {
    job_fixture s{j};
    s.observe({pod("worker", 0).orphan()});
    s.pass();
    BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()
