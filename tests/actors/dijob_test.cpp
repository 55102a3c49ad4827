#include "frameworks/di/base/dijob_pods.hpp"
#include "tests/actors/cluster_fixture.hpp"
#include "tests/frameworks/di/dijob_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(dijob_test)

namespace {

struct di_fixture : cluster_fixture {
  void make_job(const char* policy = "Running") {
    auto spec = di_spec();
    spec["cleanPodPolicy"] = policy;
    auto job = manifest_of("DIJob", spec, "cp");
    job["apiVersion"] = "diengine.opendilab.org/v1alpha1";
    make("dijobs", job);
  }

  /// As di-server creates it.
  void make_pod(const std::string& role, std::int32_t index) {
    auto j = make_dijob(di_spec());
    j.ns = "ns";
    j.uid = get("dijobs", "cp")["metadata"]["uid"];
    frameworks::di::pod_order order;
    order.role = role;
    order.name = core::child_name(j, {role, index});
    order.pod_template = di_template().dump();
    auto made = frameworks::di::make_pod(j, order);
    BOOST_REQUIRE(bool(made));
    make("pods", json::parse(made->body));
  }

  json status() { return get("dijobs", "cp").value("status", json::object()); }
  std::string phase() { return status().value("phase", ""); }

  std::vector<std::string> names(const std::string& plural) {
    std::vector<std::string> result;
    for (const auto& [key, o] : api->all(plural))
      result.push_back(o["metadata"]["name"]);
    return result;
  }

  std::size_t events_with(const std::string& message) {
    op.advance(1s); // Events go last.
    std::size_t n = 0;
    for (const auto& [key, e] : api->all("events"))
      n += e["message"] == message
           && e["source"]["component"] == "di-orchestrator";
    return n;
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_job_lives_from_its_creation_to_its_end) {
  di_fixture s;
  s.make_job();
  BOOST_TEST(s.phase() == "Created");
  BOOST_TEST(s.names("pods") == strings{"cp-coordinator"});
  BOOST_TEST(s.names("services") == strings{"cp-coordinator"});
  s.set_pod("cp-coordinator", "Running");
  s.op.advance(1s);
  BOOST_TEST(s.phase() == "Running");

  s.make_pod("collector", 1);
  s.make_pod("learner", 2);
  BOOST_TEST(
      s.names("services")
      == (strings{"cp-collector-bbbbc", "cp-coordinator", "cp-learner-bbbbd"}));
  BOOST_TEST((s.get("services", "cp-collector-bbbbc")["spec"]["selector"]
              == s.get("pods", "cp-collector-bbbbc")["metadata"]["labels"]));
  s.set_pod("cp-collector-bbbbc", "Running");
  s.op.advance(1s);
  BOOST_TEST(
      (s.status()["replicaStatus"]["Collector"] == (json{{"active", 1}})));
  BOOST_TEST((s.status()["replicaStatus"]["Aggregator"] == json::object()));

  s.api->erase("pods", "ns/cp-learner-bbbbd");
  s.op.run_until_idle();
  BOOST_TEST(s.count("services") == 2u);

  s.set_pod("cp-coordinator", "Succeeded");
  s.op.advance(1s);
  BOOST_TEST(s.phase() == "Succeeded");
  BOOST_TEST(
      (s.status()["replicaStatus"]["Collector"] == (json{{"succeeded", 1}})));
  BOOST_TEST(s.names("pods") == strings{"cp-coordinator"});
  BOOST_TEST(s.count("services") == 0u);
  BOOST_TEST(s.events_with("DIJob cp created") == 1u);
  BOOST_TEST(s.events_with("Create pod: cp-coordinator") == 1u);
  BOOST_TEST(s.events_with("Create service: cp-collector-bbbbc") == 1u);
  BOOST_TEST(s.events_with("Delete pod: cp-collector-bbbbc") == 1u);
  BOOST_TEST(s.events_with("DIJob cp succeeded because coordinator succeeded")
             == 1u);

  auto before = s.writes();
  s.restart();
  s.op.advance(60s);
  BOOST_TEST(s.phase() == "Succeeded");
  BOOST_TEST(s.writes() == before);
}

BOOST_AUTO_TEST_CASE(a_refused_coordinator_is_tried_again) {
  di_fixture s;
  auto spec = di_spec();
  auto job = manifest_of("DIJob", spec, "cp");
  job["apiVersion"] = "diengine.opendilab.org/v1alpha1";
  s.api->create("dijobs", job);
  BOOST_TEST(s.run_failing(k8s::verb::create, "pods",
                           {k8s::ec::forbidden, "exceeded quota"})
             >= 1);
  BOOST_TEST(s.count("pods") == 0u);
  BOOST_TEST(s.phase() == "Created");
  BOOST_TEST(s.events_with("Failed to create pod: cp-coordinator error: "
                           "exceeded quota")
             == 1u);
  s.op.advance(60s);
  BOOST_TEST(s.count("pods") == 1u);
  BOOST_TEST(s.count("services") == 1u);
}

BOOST_AUTO_TEST_CASE(a_deleted_coordinator_and_a_deleted_service_come_back) {
  di_fixture s;
  s.make_job();
  s.set_pod("cp-coordinator", "Running");
  s.api->erase("services", "ns/cp-coordinator");
  s.op.run_until_idle();
  BOOST_TEST(s.count("services") == 1u);
  s.api->erase("pods", "ns/cp-coordinator");
  s.op.run_until_idle();
  BOOST_TEST(s.count("pods") == 1u);
  BOOST_TEST(s.count("services") == 1u);
  BOOST_TEST(s.phase() == "Running");
}

BOOST_AUTO_TEST_CASE(services_survive_a_restart_of_the_operator) {
  di_fixture s;
  s.make_job();
  s.make_pod("collector", 1);
  auto before = s.writes();
  s.restart();
  s.op.advance(60s);
  BOOST_TEST(s.writes() == before);
  s.op.stop();
  s.api->erase("pods", "ns/cp-collector-bbbbc");
  s.op.start();
  s.op.run_until_idle();
  BOOST_TEST(s.names("services") == strings{"cp-coordinator"});
}

BOOST_AUTO_TEST_CASE(other_kinds_and_di_jobs_do_not_disturb_each_other) {
  di_fixture s;
  s.op.options->directories = 3;
  s.op.options->child_watchers = 3;
  s.restart();
  s.make_job("All");
  s.make("mpijobs", mpi_job(2));
  BOOST_TEST(s.count("pods") == 4u);
  s.set_pod("cp-coordinator", "Failed", 1);
  s.op.advance(1s);
  BOOST_TEST(s.phase() == "Failed");
  BOOST_TEST(s.count("pods") == 3u);
}

BOOST_AUTO_TEST_SUITE_END()
