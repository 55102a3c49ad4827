#include "tests/frameworks/kind_checks.hpp"

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(jax_test)

namespace {

job_builder jax(int workers) {
  return make_job_of("JAXJob", "jx").ns("ml").workers(workers);
}

} // namespace

BOOST_AUTO_TEST_CASE(everybody_knows_the_coordinator) {
  core::job j = jax(2);
  BOOST_TEST(variables(j, "worker", 0)
             == "PYTHONUNBUFFERED=1 COORDINATOR_PORT=6666 "
                "COORDINATOR_ADDRESS=jx-worker-0 NUM_PROCESSES=2 "
                "PROCESS_ID=0");
  BOOST_TEST(variables(j, "worker", 1)
             == "PYTHONUNBUFFERED=1 COORDINATOR_PORT=6666 "
                "COORDINATOR_ADDRESS=jx-worker-0 NUM_PROCESSES=2 "
                "PROCESS_ID=1");
  BOOST_TEST(role(j, "worker", 0) == "master");
  BOOST_TEST(role(j, "worker", 1) == "");
}

BOOST_AUTO_TEST_CASE(all_workers_have_to_succeed) {
  const std::string running = "JAXJob ml/jx is running.";
  check({
      {"one of two has succeeded",
       jax(2),
       {pod("worker", 0).succeeded(), pod("worker", 1).running()},
       "Created Running",
       running},
      {"both have",
       jax(2),
       {pod("worker", 0).succeeded(), pod("worker", 1).succeeded()},
       "Created Succeeded",
       "JAXJob ml/jx successfully completed."},
      {"one fails, Never",
       jax(2),
       {pod("worker", 0).running(), pod("worker", 1).failed(1)},
       "Created Running=False Failed",
       "JAXJob jx is failed because 1 Worker replica(s) failed."},
      {"one fails, OnFailure",
       jax(2).restart_policy("OnFailure"),
       {pod("worker", 0).running(), pod("worker", 1).failed(1)},
       "Created Restarting",
       "JAXJob jx is restarting because 1 Worker replica(s) failed."},
      {"a permanent code",
       jax(2).restart_policy("ExitCode"),
       {pod("worker", 0).running(), pod("worker", 1).failed(1)},
       "Created Running=False Failed",
       "job \"jx\" is failing because \"Worker\" replica(s) failed."},
  });
}

BOOST_AUTO_TEST_CASE(another_manager_is_left_alone) {
  job_fixture s{jax(1).policy("managedBy", "kueue.x-k8s.io/multikueue")};
  s.pass();
  BOOST_TEST(s.decisions().empty());
  BOOST_TEST(s.conditions() == "");
}

BOOST_AUTO_TEST_SUITE_END()
