#include "frameworks/core/model/job.hpp"
#include "frameworks/core/spec/job_reading.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using core::clean_pod_policy;
using core::restart_policy;

BOOST_AUTO_TEST_SUITE(job_reading_test)

BOOST_AUTO_TEST_CASE(what_is_left_out_gets_its_default) {
  auto b = make_job();
  b.workers(1);
  b.types()["Worker"].erase("replicas");
  auto j = b.get();
  const auto& w = j.replicas.at(0);
  BOOST_TEST(w.type == "Worker");
  BOOST_TEST(w.label == "worker");
  BOOST_TEST(w.replicas == 1);
  BOOST_TEST((w.restart == restart_policy::never));
  BOOST_TEST(w.restart_text == "Never");
  BOOST_TEST(w.port("tfjob-port", 0) == 2222);
  BOOST_TEST(w.has_default_container);
  BOOST_TEST((j.policy.clean == clean_pod_policy::none));
  BOOST_TEST(!j.policy.suspend);
  BOOST_TEST(!j.policy.backoff_limit.has_value());
  BOOST_TEST(!j.policy.managed_by.has_value());
  BOOST_TEST(j.success_policy == "");
  BOOST_TEST(j.settings == "{}");
  BOOST_TEST(j.validation_error == "");
}

BOOST_AUTO_TEST_CASE(what_is_given_is_kept) {
  auto b = make_job()
               .workers(3)
               .restart_policy("ExitCode")
               .clean_pod_policy("Running")
               .ttl(7);
  b.backoff_limit(4).active_deadline(60).suspended().dynamic().all_workers();
  b.policy("managedBy", "kueue.x-k8s.io/multikueue");
  b.policy("schedulingPolicy", {{"minAvailable", 2},
                                {"queue", "q"},
                                {"priorityClass", "high"},
                                {"minResources", {{"cpu", "1"}}},
                                {"scheduleTimeoutSeconds", 9}});
  b.with("other", 1);
  b.pod_template("Worker")["spec"]["restartPolicy"] = "Always";
  b.pod_template("Worker")["spec"]["schedulerName"] = "mine";
  auto j = b.get();
  BOOST_TEST(j.total_replicas() == 3);
  BOOST_TEST((j.replicas[0].restart == restart_policy::exit_code));
  BOOST_TEST((j.policy.clean == clean_pod_policy::running));
  BOOST_TEST(j.policy.ttl_after_finished->count() == 7);
  BOOST_TEST(j.policy.active_deadline->count() == 60);
  BOOST_TEST(j.policy.backoff_limit.value() == 4);
  BOOST_TEST(j.policy.suspend);
  BOOST_TEST(j.policy.managed_by.value() == "kueue.x-k8s.io/multikueue");
  BOOST_TEST(j.policy.scheduling->min_available.value() == 2);
  BOOST_TEST(j.policy.scheduling->min_resources == R"({"cpu":"1"})");
  BOOST_TEST(j.dynamic_workers);
  BOOST_TEST(j.success_policy == "AllWorkers");
  BOOST_TEST(j.settings == R"({"other":1})");
  BOOST_TEST(j.replicas[0].template_restart_policy == "Always");
  BOOST_TEST(j.replicas[0].template_scheduler == "mine");
}

BOOST_AUTO_TEST_CASE(types_come_in_the_kinds_order_and_spelling) {
  auto j = make_job()
               .type("worker", 1)
               .type("CHIEF", 1)
               .type("ps", 1)
               .type("Boss", 1)
               .get();
  strings types;
  for (const auto& r : j.replicas)
    types.push_back(r.type + "/" + r.label);
  BOOST_TEST(
      types == (strings{"Chief/chief", "PS/ps", "Worker/worker", "Boss/boss"}),
      boost::test_tools::per_element());
  BOOST_TEST(j.validation_error == "");
}

BOOST_AUTO_TEST_CASE(policies_in_words_of_ones_own) {
  for (const char* text : {"All", "", "Sometimes"})
    BOOST_TEST((make_job().workers(1).clean_pod_policy(text).get().policy.clean
                == clean_pod_policy::all));
  auto j = make_job().workers(1).restart_policy("Sometimes").get();
  BOOST_TEST((j.replicas[0].restart == restart_policy::other));
  BOOST_TEST(j.replicas[0].restart_text == "Sometimes");
  j = make_job().workers(1).restart_policy("").get();
  BOOST_TEST(j.replicas[0].restart_text == "Never");
}

BOOST_AUTO_TEST_CASE(the_default_port_joins_those_that_are_there) {
  auto b = make_job();
  b.workers(1);
  auto& c = b.pod_template("Worker")["spec"]["containers"];
  c[0]["ports"] = {{{"name", "metrics"}, {"containerPort", 9100}}};
  c.insert(c.begin(), json{{"name", "side"}, {"image", "i"}});
  auto j = b.get();
  BOOST_REQUIRE_EQUAL(j.replicas[0].ports.size(), 2u);
  BOOST_TEST(j.replicas[0].ports[0].port == 9100);
  BOOST_TEST(j.replicas[0].ports[1].port == 2222);

  c[1]["ports"] = {{{"name", "tfjob-port"}, {"containerPort", 7777}}};
  j = b.get();
  BOOST_TEST(j.replicas[0].ports.size() == 1u);
  BOOST_TEST(j.replicas[0].port("tfjob-port", 0) == 7777);
}

BOOST_AUTO_TEST_CASE(whatever_the_spec_is_reading_it_is_safe) {
  const char* specs[] = {
      "null",
      "{}",
      R"({"tfReplicaSpecs":null})",
      R"({"tfReplicaSpecs":{}})",
      R"({"tfReplicaSpecs":[1]})",
      R"({"tfReplicaSpecs":{"Worker":null}})",
      R"({"tfReplicaSpecs":{"Worker":7}})",
      R"({"tfReplicaSpecs":{"Worker":{"template":null}}})",
      R"({"tfReplicaSpecs":{"Worker":{"template":{"spec":[]}}}})",
      R"({"tfReplicaSpecs":{"Worker":{"template":{"spec":{"containers":[]}}}}})",
      R"({"tfReplicaSpecs":{"Worker":{"template":{"spec":
        {"containers":[7,null,{"name":5,"ports":{"a":1}}]}}}}})",
      R"({"tfReplicaSpecs":{"Worker":{"replicas":2147483647}}})",
      R"({"tfReplicaSpecs":{"Worker":{"replicas":-5}}})",
      R"({"tfReplicaSpecs":{"Worker":{"replicas":1e300}}})",
      R"({"tfReplicaSpecs":{"Worker":{"replicas":99999999999999999999}}})",
      R"({"tfReplicaSpecs":{"worker":{},"Worker":{},"wORKER":{}}})",
      R"({"runPolicy":7})",
      R"({"runPolicy":{"suspend":"yes","backoffLimit":"x","managedBy":7}})",
  };
  for (const char* spec : specs) {
    k8s::object o;
    o.meta.name = "job";
    o.state = k8s::spec_and_status_state{spec, "null"};
    auto j = core::decode_job(*frameworks::find("TFJob"), o);
    BOOST_REQUIRE(bool(j));
    BOOST_TEST(j->validation_error.empty()
                   == (std::string{spec} == R"({"tfReplicaSpecs":{}})"),
               spec << ": " << j->validation_error);
    job_fixture s{*j};
    s.pass();
    BOOST_TEST(s.decisions() == (strings{}), boost::test_tools::per_element());
    for (const auto& r : j->replicas) {
      (void)core::make_pod_json(*j, {r.label, 0}, {});
      (void)core::make_service_json(*j, {r.label, 0});
    }
  }
}

BOOST_AUTO_TEST_CASE(only_what_is_no_object_cannot_be_read) {
  k8s::object o;
  for (const char* spec : {"", "7", "[]", "{"}) {
    o.state = k8s::spec_and_status_state{spec, "null"};
    auto j = core::decode_job(*frameworks::find("TFJob"), o);
    BOOST_REQUIRE(!j);
    BOOST_TEST((j.error().code == k8s::ec::invalid));
  }
}

BOOST_AUTO_TEST_SUITE_END()
