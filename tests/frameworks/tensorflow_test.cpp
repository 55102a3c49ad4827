#include "frameworks/core/spec/pod_template.hpp"
#include "tests/fixtures/builders.hpp"
#include "tests/frameworks/kind_checks.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(tensorflow_test)

namespace {

std::string config(const core::job& j, const char* type, int index,
                   const char* domain = "") {
  core::cluster_options cluster;
  cluster.cluster_domain = domain;
  auto env = j.kind->hooks.environment(j, {type, index}, cluster);
  if (env.empty())
    return "none";
  BOOST_TEST(env[0].name == "TF_CONFIG");
  return env[0].value;
}

} // namespace

BOOST_AUTO_TEST_CASE(everybody_knows_everybody) {
  core::job j = make_job("dist").ns("ml").type("PS", 1).type("worker", 2);
  BOOST_TEST(config(j, "worker", 1)
             == R"({"cluster":{"ps":["dist-ps-0.ml.svc:2222"],)"
                R"("worker":["dist-worker-0.ml.svc:2222",)"
                R"("dist-worker-1.ml.svc:2222"]},)"
                R"("task":{"type":"worker","index":1},"environment":"cloud"})");
}

BOOST_AUTO_TEST_CASE(the_domain_of_the_cluster_follows_svc) {
  core::job j =
      make_job("J").ns("ns3").servers(1).workers(1).type("Evaluator", 1);
  BOOST_TEST(
      config(j, "worker", 0, "tf.training.io")
      == R"({"cluster":{"evaluator":["J-evaluator-0.ns3.svc.tf.training.io:2222"],)"
         R"("ps":["J-ps-0.ns3.svc.tf.training.io:2222"],)"
         R"("worker":["J-worker-0.ns3.svc.tf.training.io:2222"]},)"
         R"("task":{"type":"worker","index":0},"environment":"cloud"})");
}

BOOST_AUTO_TEST_CASE(every_type_has_its_own_port_and_none_may_be_empty) {
  auto b = make_job();
  b.workers(1).servers(0).chief();
  b.pod_template("Chief")["spec"]["containers"][0]["ports"] = {
      {{"name", "tfjob-port"}, {"containerPort", 7777}}};
  BOOST_TEST(config(b, "chief", 0)
             == R"({"cluster":{"chief":["job-chief-0.ns.svc:7777"],"ps":[],)"
                R"("worker":["job-worker-0.ns.svc:2222"]},)"
                R"("task":{"type":"chief","index":0},"environment":"cloud"})");
}

BOOST_AUTO_TEST_CASE(a_chief_type_without_replicas_is_not_there) {
  for (const char* leader : {"Chief", "Master"}) {
    auto b = make_job().servers(0).workers(2).type(leader, 0);
    // TensorFlow would let an empty type lead.
    BOOST_TEST(config(b, "worker", 0)
               == R"({"cluster":{"ps":[],"worker":["job-worker-0.ns.svc:2222",)"
                  R"("job-worker-1.ns.svc:2222"]},)"
                  R"("task":{"type":"worker","index":0},)"
                  R"("environment":"cloud"})");
    BOOST_TEST(role(b, "worker", 0) == "master");
    BOOST_TEST(role(b, "worker", 1) == "");
    check({{"workers run",
            b,
            {pod("worker", 0).running(), pod("worker", 1)},
            "Created Running",
            "TFJob ns/job is running."},
           {"the first is done",
            b,
            {pod("worker", 0).succeeded(), pod("worker", 1).running()},
            "Created Succeeded",
            "TFJob ns/job successfully completed."},
           {"one fails",
            b,
            {pod("worker", 0).running(), pod("worker", 1).failed(1)},
            "Created Running=False Failed",
            "TFJob ns/job has failed because 1 Worker replica(s) failed."}});
  }
  // Only one that is there is one too many.
  auto both = make_job().type("Master", 0).chief();
  BOOST_TEST(problems(both) == "");
}

BOOST_AUTO_TEST_CASE(one_replica_alone_needs_no_cluster) {
  BOOST_TEST(config(make_job().workers(1), "worker", 0) == "none");
  BOOST_TEST(config(make_job().workers(1).dynamic(), "worker", 0) == "none");
  BOOST_TEST(config(make_job().workers(0).chief(), "chief", 0) == "none");
  // Types of one's own do not count, but are named.
  BOOST_TEST(config(make_job().workers(1).type("Boss", 3), "worker", 0)
             == "none");
  BOOST_TEST(config(make_job().workers(2).type("Boss", 1), "boss", 0)
                 .find("{\"cluster\":{\"boss\":[\"job-boss-0.ns.svc:2222\"],")
             == 0u);
}

BOOST_AUTO_TEST_CASE(dynamic_workers_know_the_servers_and_themselves) {
  core::job j = make_job("dist")
                    .ns("ml")
                    .servers(2)
                    .workers(2)
                    .chief()
                    .type("Evaluator", 2)
                    .dynamic();
  struct row {
    const char* type;
    int index;
    const char* config;
  } rows[] = {
      {"worker", 1,
       R"({"cluster":{"worker":{"1":"dist-worker-1.ml.svc:2222"},)"
       R"("ps":["dist-ps-0.ml.svc:2222","dist-ps-1.ml.svc:2222"]},)"
       R"("task":{"type":"worker","index":1}})"},
      {"ps", 1,
       R"({"cluster":{"worker":{},"ps":["dist-ps-1.ml.svc:2222"]},)"
       R"("task":{"type":"ps","index":1}})"},
      {"chief", 0,
       R"({"cluster":{"worker":{},)"
       R"("ps":["dist-ps-0.ml.svc:2222","dist-ps-1.ml.svc:2222"],)"
       R"("chief":["dist-chief-0.ml.svc:2222"]},)"
       R"("task":{"type":"chief","index":0}})"},
      {"evaluator", 1,
       R"({"cluster":{"worker":{},)"
       R"("ps":["dist-ps-0.ml.svc:2222","dist-ps-1.ml.svc:2222"],)"
       R"("evaluator":["dist-evaluator-0.ml.svc:2222",)"
       R"("dist-evaluator-1.ml.svc:2222"]},)"
       R"("task":{"type":"evaluator","index":1}})"},
  };
  for (const auto& r : rows)
    BOOST_TEST(config(j, r.type, r.index) == r.config);
  BOOST_TEST(
      config(make_job("dist").ns("ml").workers(2).dynamic(), "worker", 0)
      == R"({"cluster":{"worker":{"0":"dist-worker-0.ml.svc:2222"},"ps":null},)"
         R"("task":{"type":"worker","index":0}})");
}

BOOST_AUTO_TEST_CASE(only_the_first_container_of_the_name_is_told) {
  auto b = make_job();
  b.workers(2);
  auto& c = b.pod_template("Worker")["spec"]["containers"];
  c.insert(c.begin(), json{{"name", "side"}, {"image", "i"}});
  c.push_back(json{{"name", "tensorflow"}, {"image", "i"}});
  b.pod_template("Worker")["spec"]["initContainers"] = {
      {{"name", "tensorflow"}, {"image", "i"}}};
  auto pod = json::parse(*core::make_pod_json(b, {"worker", 0}, {}));
  BOOST_TEST(!pod["spec"]["containers"][0].contains("env"));
  BOOST_TEST(pod["spec"]["containers"][1]["env"].size() == 1u);
  BOOST_TEST(!pod["spec"]["containers"][2].contains("env"));
  BOOST_TEST(!pod["spec"]["initContainers"][0].contains("env"));
}

BOOST_AUTO_TEST_CASE(who_leads_is_master) {
  core::job led = make_job().type("Chief", 2).workers(1);
  BOOST_TEST(role(led, "chief", 0) == "master");
  BOOST_TEST(role(led, "chief", 1) == "master");
  BOOST_TEST(role(led, "worker", 0) == "");
  core::job unled = make_job().workers(2).servers(1);
  BOOST_TEST(role(unled, "worker", 0) == "master");
  BOOST_TEST(role(unled, "worker", 1) == "");
  BOOST_TEST(role(unled, "ps", 0) == "");
}

BOOST_AUTO_TEST_CASE(the_registry_knows_it) {
  BOOST_REQUIRE(frameworks::find("TFJob"));
  BOOST_TEST(!frameworks::find("tfjob"));
  BOOST_TEST(frameworks::find("TFJob")->names.type.plural == "tfjobs");
}

BOOST_AUTO_TEST_SUITE_END()
