#include "frameworks/core/pass/plan.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(plan_test)

BOOST_AUTO_TEST_CASE(a_job_that_is_going_or_not_ours_is_left_alone) {
  for (auto& j : {make_job().workers(1).deleting(),
                  make_job().workers(1).policy("managedBy", "kueue.x/y"),
                  make_job().workers(1).policy("managedBy", "")}) {
    job_fixture s{j};
    s.observe({pod("worker", 5).running()});
    s.pass();
    BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
    BOOST_TEST(core::encode_status(s.status) == "{}");
    BOOST_TEST(!s.last.summary.empty());
  }
  job_fixture ours{make_job().workers(1).policy(
      "managedBy", "kubeflow.org/training-operator")};
  ours.pass();
  BOOST_TEST(ours.decisions().size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_new_job_is_noted_and_begun) {
  job_fixture s{make_job().workers(1).servers(1)};
  s.pass();
  BOOST_TEST(s.conditions() == "Created");
  BOOST_TEST(s.status.conditions[0].message == "TFJob job is created.");
  BOOST_TEST((s.status.start_time == s.now));
  BOOST_TEST(s.status.replicas.size() == 2u);
  BOOST_TEST(s.events() == (strings{}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_job_that_breaks_the_rules_fails_and_says_why) {
  auto b = make_job();
  b.workers(1).pod_template("Worker")["spec"]["containers"] = json::array();
  job_fixture s{b};
  s.pass();
  BOOST_TEST(s.conditions() == "Created Failed");
  const auto* c = s.status.find_condition("Failed");
  BOOST_TEST(c->reason == "TFJobFailedValidation");
  BOOST_TEST(c->message.find("TFJob failed validation because "
                             "[spec.tfReplicaSpecs[Worker]")
             == 0u);
  BOOST_TEST(s.events() == (strings{"Warning " + c->reason + " " + c->message}),
             boost::test_tools::per_element());
  BOOST_TEST(s.status.completion_time.has_value());
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_job_without_types_rests) {
  job_fixture s{make_job()};
  s.pass();
  BOOST_TEST(s.conditions() == "Created");
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
  BOOST_TEST(s.last.summary == "asks for no replicas");
}

BOOST_AUTO_TEST_CASE(equal_questions_get_equal_answers) {
  job_fixture s{
      make_job().workers(2).backoff_limit(2).restart_policy("OnFailure")};
  s.all_services().observe(
      {pod("worker", 0).running(), pod("worker", 1).failed()});
  auto a = core::plan(s.j, s.seen, s.open, s.status, s.saved, s.now);
  auto b = core::plan(s.j, s.seen, s.open, s.status, s.saved, s.now);
  BOOST_TEST((a.status == b.status));
  BOOST_TEST(a.decisions.size() == b.decisions.size());
  BOOST_TEST(a.summary == b.summary);
}

BOOST_AUTO_TEST_CASE(a_quiet_job_wants_no_write_however_often_it_is_looked_at) {
  for (const char* policy : {"Never", "OnFailure", "ExitCode"}) {
    job_fixture s{make_job().workers(2).restart_policy(policy)};
    s.all_services().observe({pod("worker", 0).running(), pod("worker", 1)});
    s.pass();
    auto first = s.status;
    for (int i = 0; i < 5; ++i) {
      s.now += std::chrono::seconds{7};
      s.pass();
      BOOST_TEST((s.status == first));
      BOOST_TEST(s.events() == (strings{}), boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_saved_as_finished_stays_finished) {
  job_fixture s{make_job().workers(1)};
  s.saved.set_condition("Succeeded", true, "TFJobSucceeded", "", s.now);
  s.pass();
  BOOST_TEST(s.conditions() == "Succeeded");
  BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
