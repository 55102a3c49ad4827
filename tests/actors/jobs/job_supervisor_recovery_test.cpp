// A supervisor that begins without what its predecessor knew.
#include "tests/actors/jobs/supervisor_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;
using boost::test_tools::per_element;

BOOST_AUTO_TEST_SUITE(job_supervisor_recovery_test)

BOOST_AUTO_TEST_CASE(a_successor_reads_everything_before_it_decides) {
  supervisor_fixture f{true};
  auto job = make_job().workers(2);
  f.send(f.subject, f.seen(job));
  BOOST_TEST(f.waiting() == strings{"get tfjobs job"}, per_element());
  f.answer("get tfjobs job", job_text(job, 2));
  auto lists = f.waiting();
  std::sort(lists.begin(), lists.end());
  strings expected{"list pods", "list services"};
  BOOST_TEST(lists == expected, per_element());
  f.answer("list pods", list_text(9, {object_text("job-worker-0", "uid", 5,
                                                  worker_meta(0))}));
  BOOST_TEST(f.report()["passes"] == 0);
  f.answer("list services", list_text(9));
  BOOST_TEST(f.report()["passes"] == 1);
  BOOST_TEST(!f.waits("create pods job-worker-0"));
  BOOST_TEST(f.waits("create pods job-worker-1"));
  BOOST_TEST(f.waits("create services job-worker-0"));
}

BOOST_AUTO_TEST_CASE(a_recovery_that_failed_starts_again_after_a_delay) {
  supervisor_fixture f{true};
  for (auto delay : {50ms, 100ms, 200ms}) {
    f.answer("get tfjobs job", job_text(make_job().workers(1), 2));
    f.fail_call("list pods", k8s::ec::server_error);
    f.answer("list services", list_text(9)); // Too late.
    f.advance(delay - 1ms);
    BOOST_TEST(f.calls.empty());
    f.advance(1ms);
    BOOST_TEST(f.waiting() == strings{"get tfjobs job"}, per_element());
  }
  f.fail_call("get tfjobs job", k8s::ec::timeout);
  f.advance(400ms);
  BOOST_TEST(f.waiting() == strings{"get tfjobs job"}, per_element());
  BOOST_TEST(f.report()["passes"] == 0);
}

BOOST_AUTO_TEST_CASE(a_recovery_starts_again_though_the_clock_is_set_back) {
  supervisor_fixture f{true};
  f.answer("get tfjobs job", job_text(make_job().workers(1), 2));
  f.fail_call("list pods", k8s::ec::server_error);
  f.answer("list services", list_text(9)); // Too late.
  f.set_back = 1h;
  f.advance(50ms);
  BOOST_TEST(f.waiting() == strings{"get tfjobs job"}, per_element());
}

BOOST_AUTO_TEST_CASE(a_job_of_the_same_name_is_not_taken_for_its_own) {
  supervisor_fixture f{true};
  auto other = json::parse(job_text(make_job().workers(1), 2));
  other["metadata"]["uid"] = "other";
  f.answer("get tfjobs job", other.dump());
  f.advance(1h);
  BOOST_TEST(f.calls.empty());
}

BOOST_AUTO_TEST_CASE(a_job_that_was_corrected_is_recovered) {
  supervisor_fixture f;
  auto wrong = make_job();
  wrong.spec() = "none";
  f.send(f.subject, f.seen(wrong));
  BOOST_TEST(f.events == strings{"TFJobFailedValidation"}, per_element());
  f.send(f.subject, f.seen(pod("worker", 0))); // Cannot be recorded.
  BOOST_TEST(f.calls.empty());
  f.send(f.subject, f.seen(make_job().workers(1), 2));
  BOOST_TEST(f.waiting() == strings{"get tfjobs job"}, per_element());
}

BOOST_AUTO_TEST_CASE(a_job_that_was_not_found_is_read_again) {
  // A server that is starting answers so before it has loaded its CRDs. Of a
  // job that is gone the directory hears by the watch, and stops this actor.
  for (bool recovering : {false, true}) {
    supervisor_fixture f{recovering};
    if (!recovering) {
      f.send(f.subject, f.seen(make_job().workers(1).suspended()));
      f.fail_call("patch tfjobs/status", k8s::ec::conflict);
    }
    for (auto delay : {50ms, 100ms, 200ms}) {
      f.fail_call("get tfjobs job", k8s::ec::not_found);
      f.advance(delay - 1ms);
      BOOST_TEST(f.calls.empty());
      f.advance(1ms);
      BOOST_REQUIRE(f.waiting() == strings{"get tfjobs job"});
    }
    f.answer("get tfjobs job", job_text(make_job().workers(1).suspended(), 7));
    BOOST_TEST((recovering || f.waits("patch tfjobs/status job")));
    BOOST_TEST((!recovering || f.waits("list pods")));
  }
}

BOOST_AUTO_TEST_SUITE_END()
