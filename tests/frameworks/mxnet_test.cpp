#include "tests/frameworks/kind_checks.hpp"

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(mxnet_test)

namespace {

job_builder mx(int schedulers, int servers, int workers) {
  auto b = make_job_of("MXJob", "j").ns("ml").with("jobMode", "MXTrain");
  if (schedulers > 0)
    b.type("Scheduler", schedulers);
  if (servers > 0)
    b.type("Server", servers);
  return b.workers(workers);
}

/// One worker, and what tunes beside it.
job_builder tuned() {
  return mx(0, 0, 1).type("TunerTracker", 1).type("Tuner", 2);
}

} // namespace

BOOST_AUTO_TEST_CASE(everybody_knows_the_scheduler) {
  core::job j = mx(1, 1, 2);
  auto text = [](const char* type, int index, const char* more) {
    return std::string{
               R"(MX_CONFIG={"cluster":{"scheduler":[{"url":"j-scheduler-0",)"
               R"("port":9091}],"server":[{"url":"j-server-0","port":9091}],)"
               R"("worker":[{"url":"j-worker-0","port":9091},)"
               R"({"url":"j-worker-1","port":9091}]},"labels":)"
               R"({"scheduler":"","server":"","worker":""},"task":{"type":")"}
           + type + R"(","index":)" + std::to_string(index)
           + "}} DMLC_PS_ROOT_PORT=9091 DMLC_PS_ROOT_URI=j-scheduler-0 "
             "DMLC_NUM_SERVER=1 DMLC_NUM_WORKER=2 DMLC_ROLE="
           + type + " DMLC_USE_KUBERNETES=1" + more;
  };
  BOOST_TEST(variables(j, "worker", 1)
             == text("worker", 1, " DMLC_WORKER_ID=1"));
  BOOST_TEST(variables(j, "scheduler", 0) == text("scheduler", 0, ""));
  BOOST_TEST(role(j, "server", 0) == "master"); // As in training-operator v1.
  BOOST_TEST(role(j, "scheduler", 0) == "");
}

BOOST_AUTO_TEST_CASE(tuning_brings_the_key_of_a_device) {
  auto b = make_job_of("MXJob", "j").with("jobMode", "MXTune");
  b.type("TunerTracker", 1).type("TunerServer", 1).type("Tuner", 1);
  b.pod_template("TunerServer")["metadata"]["annotations"]["tuner-server-key"] =
      "2080ti";
  auto text = variables(b, "tuner", 0);
  BOOST_TEST(text.find(R"("labels":{"tuner":"","tunerserver":"2080ti",)"
                       R"("tunertracker":""})")
             != std::string::npos);
  BOOST_TEST(text.find("DMLC_PS_ROOT_PORT=0 DMLC_PS_ROOT_URI= "
                       "DMLC_NUM_SERVER=0 DMLC_NUM_WORKER=0 DMLC_ROLE=tuner")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_scheduler_or_a_lone_worker_decides) {
  check({
      {"workers are done, the scheduler is not",
       mx(1, 1, 1),
       {pod("scheduler", 0).running(), pod("server", 0).running(),
        pod("worker", 0).succeeded()},
       "Created Running",
       "MXJob j is running."},
      {"the scheduler is done",
       mx(1, 1, 1),
       {pod("scheduler", 0).succeeded(), pod("server", 0).running(),
        pod("worker", 0).running()},
       "Created Succeeded",
       "MXJob j is successfully completed."},
      {"a lone worker runs",
       mx(0, 0, 1),
       {pod("worker", 0).running()},
       "Created Running",
       "MXJob j is running."},
      {"a lone worker is done",
       mx(0, 0, 1),
       {pod("worker", 0).succeeded()},
       "Created Succeeded",
       "MXJob j is successfully completed."},
      {"a scheduler that is not asked for is no company",
       mx(0, 0, 1).type("Scheduler", 0).type("Server", 0),
       {pod("worker", 0).succeeded()},
       "Created Succeeded",
       "MXJob j is successfully completed."},
      {"with a server a worker is not alone",
       mx(0, 1, 1),
       {pod("server", 0).running(), pod("worker", 0).succeeded()},
       "Created",
       "MXJob j is created."},
      {"nor are workers without a scheduler",
       mx(0, 0, 2).type("Scheduler", 0),
       {pod("worker", 0).running(), pod("worker", 1).running()},
       "Created",
       "MXJob j is created."},
      {"types for tuning are no company",
       tuned(),
       {pod("worker", 0).succeeded(), pod("tuner", 0).running(),
        pod("tunertracker", 0).running()},
       "Created Succeeded",
       "MXJob j is successfully completed."},
      {"and any of them may be done first",
       tuned(),
       {pod("worker", 0).running(), pod("tuner", 0).succeeded(),
        pod("tuner", 1).succeeded()},
       "Created Succeeded",
       "MXJob j is successfully completed."},
      {"but all of its type",
       tuned(),
       {pod("worker", 0), pod("tuner", 0).succeeded(),
        pod("tuner", 1).running()},
       "Created Running",
       "MXJob j is running."},
      {"two workers without a scheduler never end",
       mx(0, 0, 2),
       {pod("worker", 0).succeeded(), pod("worker", 1).succeeded()},
       "Created",
       "MXJob j is created."},
      {"a server fails",
       mx(1, 1, 1),
       {pod("scheduler", 0).running(), pod("server", 0).failed(1),
        pod("worker", 0).running()},
       "Created Running=False Failed",
       "mxjob j is failed because 1 Server replica(s) failed."},
  });
}

BOOST_AUTO_TEST_SUITE_END()
