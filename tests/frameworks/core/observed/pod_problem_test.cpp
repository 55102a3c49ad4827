#include "frameworks/core/observed/pod_problem.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(pod_problem_test)

namespace {

using kind = k8s::container_status::state_kind;

k8s::container_status container(kind state, const char* reason,
                                const char* message, int exit_code = 0) {
  k8s::container_status c;
  c.name = "tensorflow";
  c.state = state;
  c.reason = reason;
  c.message = message;
  c.exit_code = exit_code;
  return c;
}

core::child_view view_of(const child_builder& p) {
  job_fixture s{make_job().workers(1)};
  s.observe(p);
  return *s.seen.pods().begin();
}

} // namespace

BOOST_AUTO_TEST_CASE(
    what_a_message_says_beside_pod_and_container_is_the_cause) {
  auto waiting = pod("worker", 0);
  waiting.state().containers = {
      container(kind::waiting, "ErrImagePull", "a message: b")};
  auto ended = pod("worker", 0);
  ended.state().containers = {container(kind::terminated, "Error", "c", 3)};
  auto unscheduled = pod("worker", 0);
  unscheduled.state().conditions = {
      {"PodScheduled", "False", "Unschedulable", "no node fits", {}}};
  auto failed = pod("worker", 0).failed();
  failed.state().reason = "Evicted";
  failed.state().message = "Error pod x condition message: low on memory";
  struct row {
    child_builder pod;
    const char* message;
    const char* cause;
  } rows[] = {
      {waiting,
       "Error pod job-worker-0 container tensorflow waiting message: a "
       "message: b",
       "a message: b"},
      {ended,
       "Error pod job-worker-0 container tensorflow exitCode: 3 terminated "
       "message: c",
       "c"},
      {unscheduled, "Error pod job-worker-0 condition message: no node fits",
       "no node fits"},
      {failed, "Error pod x condition message: low on memory",
       "Error pod x condition message: low on memory"},
      {pod("worker", 0), "", ""},
  };
  for (const auto& r : rows) {
    auto view = view_of(r.pod);
    BOOST_TEST(view.problem->message == r.message);
    BOOST_TEST(view.problem->cause() == r.cause);
  }
}

BOOST_AUTO_TEST_CASE(a_crash_loop_says_more_than_the_state_of_its_container) {
  auto p = pod("worker", 0).in(k8s::pod_phase::running);
  auto c = container(kind::waiting, "CrashLoopBackOff", "back-off 40s");
  c.restarts = 5;
  p.state().containers = {c};
  auto looping = view_of(p);
  BOOST_TEST(looping.problem->reason == "CrashLoopBackOff");
  BOOST_TEST(core::crash_loop_or_pod_problem(looping, base_time).reason
             == "CrashLoop");
  BOOST_TEST(core::crash_loop_or_pod_problem(looping, base_time)
                 .cause()
                 .find("5 restarts")
             != std::string::npos);
  BOOST_TEST(core::crash_loop_or_pod_problem(
                 view_of(pod("worker", 0).running()), base_time)
                 .reason
             == "");
}

BOOST_AUTO_TEST_SUITE_END()
