#include "tests/frameworks/kind_checks.hpp"

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(paddle_test)

namespace {

job_builder paddle(int masters, int workers) {
  auto b = make_job_of("PaddleJob", "pd").ns("ml").workers(workers);
  return masters > 0 ? b.type("Master", masters) : b;
}

} // namespace

BOOST_AUTO_TEST_CASE(workers_meet_at_the_first) {
  core::job j = paddle(0, 2);
  std::string common = "PYTHONUNBUFFERED=1 PADDLE_JOB_ID=pd PADDLE_NNODES=2 ";
  BOOST_TEST(variables(j, "worker", 0)
             == common
                    + "POD_IP_DUMMY<status.podIP "
                      "PADDLE_MASTER=$(POD_IP_DUMMY):36543");
  BOOST_TEST(variables(j, "worker", 1)
             == common + "PADDLE_MASTER=pd-worker-0:36543");
  BOOST_TEST(role(j, "worker", 0) == "");
}

BOOST_AUTO_TEST_CASE(with_a_master_it_is_the_server) {
  core::job j = paddle(1, 2);
  std::string common = "PYTHONUNBUFFERED=1 PADDLE_JOB_ID=pd PADDLE_NNODES=3 ";
  BOOST_TEST(variables(j, "master", 0)
             == common
                    + "POD_IP_DUMMY<status.podIP "
                      "PADDLE_MASTER=$(POD_IP_DUMMY):36543 "
                      "PADDLE_SERVER_NUM=1");
  BOOST_TEST(variables(j, "worker", 0)
             == common
                    + "PADDLE_MASTER=pd-master-0:36543 PADDLE_TRAINER_NUM=1");
  BOOST_TEST(role(j, "master", 0) == "master");
}

BOOST_AUTO_TEST_CASE(a_master_type_without_replicas_is_not_there) {
  auto b = paddle(0, 2).type("Master", 0);
  core::job j = b;
  std::string common = "PYTHONUNBUFFERED=1 PADDLE_JOB_ID=pd PADDLE_NNODES=2 ";
  BOOST_TEST(variables(j, "worker", 1)
             == common + "PADDLE_MASTER=pd-worker-0:36543");
  check({{"all workers are done",
          b,
          {pod("worker", 0).succeeded(), pod("worker", 1).succeeded()},
          "Created Succeeded",
          "PaddleJob ml/pd successfully completed."},
         {"one runs",
          b,
          {pod("worker", 0).succeeded(), pod("worker", 1).running()},
          "Created Running",
          "PaddleJob ml/pd is running."}});
}

BOOST_AUTO_TEST_CASE(masters_or_else_workers_decide) {
  check({
      {"one of two masters is not enough",
       paddle(2, 1),
       {pod("master", 0).succeeded(), pod("master", 1).running(),
        pod("worker", 0).running()},
       "Created Running",
       "PaddleJob pd is running."},
      {"both are",
       paddle(2, 1),
       {pod("master", 0).succeeded(), pod("master", 1).succeeded(),
        pod("worker", 0).running()},
       "Created Succeeded",
       "PaddleJob pd is successfully completed."},
      {"workers alone",
       paddle(0, 2),
       {pod("worker", 0).succeeded(), pod("worker", 1).running()},
       "Created Running",
       "PaddleJob ml/pd is running."},
      {"an elastic policy changes nothing",
       paddle(0, 2).with("elasticPolicy", {{"minReplicas", 1}}),
       {pod("worker", 0).succeeded(), pod("worker", 1).running()},
       "Created Running",
       "PaddleJob ml/pd is running."},
      {"all workers are done",
       paddle(0, 2),
       {pod("worker", 0).succeeded(), pod("worker", 1).succeeded()},
       "Created Succeeded",
       "PaddleJob ml/pd successfully completed."},
      {"OnFailure is the default",
       paddle(0, 2),
       {pod("worker", 0).running(), pod("worker", 1).failed(1)},
       "Created Restarting",
       "PaddleJob pd is restarting because 1 Worker replica(s) failed."},
  });
}

BOOST_AUTO_TEST_CASE(a_refusal_quotes_the_containers_name) {
  auto b = paddle(0, 1);
  auto& containers = b.pod_template("Worker")["spec"]["containers"];
  const std::string field =
      "spec.paddleReplicaSpecs[Worker].template.spec.containers: Required "
      "value: ";
  const std::string missing =
      field + "must have at least one container with name \"paddle\"";
  containers[0]["name"] = "other";
  BOOST_TEST(problems(b) == missing);
  containers = json::array();
  BOOST_TEST(problems(b)
             == "[" + field + "must be specified, " + missing + "]");
}

BOOST_AUTO_TEST_SUITE_END()
