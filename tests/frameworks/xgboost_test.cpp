#include "tests/frameworks/kind_checks.hpp"

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(xgboost_test)

namespace {

job_builder xgb(int workers) {
  auto b = make_job_of("XGBoostJob", "gbm").type("Master", 1);
  return workers > 0 ? b.workers(workers) : b;
}

} // namespace

BOOST_AUTO_TEST_CASE(everybody_knows_the_master_and_all_machines) {
  core::job j = xgb(2);
  std::string rest = " PYTHONUNBUFFERED=1 WORKER_PORT=9999 "
                     "WORKER_ADDRS=gbm-worker-0,gbm-worker-1";
  std::string first =
      "MASTER_PORT=9999 MASTER_ADDR=gbm-master-0 WORLD_SIZE=3 RANK=";
  BOOST_TEST(variables(j, "master", 0) == first + "0" + rest);
  BOOST_TEST(variables(j, "worker", 0) == first + "1" + rest);
  BOOST_TEST(variables(j, "worker", 1) == first + "2" + rest);
  BOOST_TEST(variables(xgb(0), "master", 0)
             == "MASTER_PORT=9999 MASTER_ADDR=gbm-master-0 WORLD_SIZE=1 RANK=0 "
                "PYTHONUNBUFFERED=1");
  BOOST_TEST(role(j, "master", 0) == "master");
  BOOST_TEST(role(j, "worker", 0) == "");
}

BOOST_AUTO_TEST_CASE(the_master_decides) {
  check({
      {"workers alone do not make it run",
       xgb(1),
       {pod("master", 0), pod("worker", 0).running()},
       "Created",
       "XGBoostJob gbm is created."},
      {"the master runs",
       xgb(1),
       {pod("master", 0).running(), pod("worker", 0)},
       "Created Running",
       "XGBoostJob gbm is running."},
      {"it has run before it succeeds",
       xgb(1),
       {pod("master", 0).succeeded(), pod("worker", 0).running()},
       "Created Running=False Succeeded",
       "XGBoostJob gbm is successfully completed."},
      {"and before it fails",
       xgb(1),
       {pod("master", 0), pod("worker", 0).failed(1)},
       "Created Running=False Failed",
       "XGBoostJob gbm is failed because 1 Worker replica(s) failed."},
      {"its own words on restarting",
       xgb(1).restart_policy("ExitCode"),
       {pod("master", 0).running(), pod("worker", 0).failed(137)},
       "Created Restarting",
       "XGBoostJob gbm is restarting because 1 Worker replica(s) failed."},
      {"a failed pod is replaced under OnFailure",
       xgb(1).restart_policy("OnFailure"),
       {pod("master", 0).running(), pod("worker", 0).failed(1)},
       "Created Restarting",
       "XGBoostJob gbm is restarting because 1 Worker replica(s) failed."},
  });
}

BOOST_AUTO_TEST_CASE(one_master_has_to_be_there) {
  BOOST_TEST(problems(xgb(2)) == "");
  auto none = make_job_of("XGBoostJob", "gbm").workers(1);
  BOOST_TEST(
      problems(none)
      == "spec.xgbReplicaSpecs[Master]: Required value: must be present");
  auto two = xgb(1);
  BOOST_TEST(problems(two.type("Master", 2))
             == "spec.xgbReplicaSpecs[Master].replicas: Forbidden: must be 1");
  auto unset = xgb(1);
  unset.types()["Master"].erase("replicas");
  BOOST_TEST(problems(unset)
             == "spec.xgbReplicaSpecs[Master].replicas: Forbidden: must be 1");
  BOOST_TEST(unset.get().validation_error == ""); // It can be run, though.
}

BOOST_AUTO_TEST_SUITE_END()
