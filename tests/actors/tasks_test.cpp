#include "tests/actors/tasks_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(tasks_test)

namespace {

const strings all_names{"cp-collector-0", "cp-collector-1", "cp-learner-0"};

} // namespace

BOOST_AUTO_TEST_CASE(a_job_lives_from_its_creation_to_its_end) {
  tasks_fixture s;
  s.make_job();
  BOOST_TEST(s.phase() == "Starting");
  BOOST_TEST(s.names("pods") == all_names);
  BOOST_TEST(s.names("services") == strings{"di-cp"});
  s.all_ready();
  BOOST_TEST(s.phase() == "Running");
  BOOST_TEST(s.status()["readyReplicas"] == 3);
  BOOST_TEST((s.status()["taskStatus"]["collector"] == json{{"Running", 2}}));
  for (const auto& name : all_names)
    s.set_pod(name, "Succeeded");
  s.op.advance(1s);
  BOOST_TEST(s.phase() == "Succeeded");
  BOOST_TEST(s.count("services") == 0u);
  BOOST_TEST(s.names("pods") == all_names);
  BOOST_TEST(s.status()["readyReplicas"] == 0);
  BOOST_TEST(!s.status().contains("taskStatus"));
  BOOST_TEST(s.status().contains("completionTimestamp"));
  for (const char* text :
       {"job created.", "pod cp-learner-0 was successfully created",
        "service di-cp was successfully created",
        "job is starting since all replicas are created.",
        "job is running since all replicas are ready.",
        "job is succeeded since all the replicas are succeeded.",
        "service di-cp was successfully deleted"})
    BOOST_TEST_CONTEXT(text)
  BOOST_TEST(s.events_with(text) == 1u);

  auto before = s.writes();
  s.restart();
  s.op.advance(60s);
  BOOST_TEST(s.phase() == "Succeeded");
  BOOST_TEST(s.writes() == before);
}

BOOST_AUTO_TEST_CASE(a_failed_pod_is_replaced_until_the_limit) {
  tasks_fixture s;
  s.make_job();
  for (int i = 1; i <= 3; ++i) {
    s.all_ready();
    BOOST_TEST(s.phase() == "Running");
    s.set_pod("cp-collector-1", "Failed", 1);
    s.op.advance(120s); // It has to wait longer each time.
    BOOST_TEST(s.status()["restarts"] == i);
    BOOST_TEST(s.phase() == "Starting");
    BOOST_TEST(s.names("pods") == all_names);
  }
  s.all_ready();
  s.set_pod("cp-learner-0", "Failed", 1);
  s.op.advance(1s);
  BOOST_TEST(s.phase() == "Failed");
  BOOST_TEST(s.status()["restarts"] == 3);
  BOOST_TEST(s.names("pods") == strings{"cp-learner-0"});
}

BOOST_AUTO_TEST_CASE(an_operator_that_dies_at_any_call_counts_a_failure_once) {
  for (int calls = 0; calls < 12; ++calls)
    BOOST_TEST_CONTEXT(calls << " calls") {
      tasks_fixture s;
      s.make_job();
      s.all_ready();
      s.api->change("pods", "ns/cp-learner-0", [](json& p) {
        p["status"] = {{"phase", "Failed"}};
      });
      for (int i = 0; i < calls; ++i) {
        s.op.run_messages();
        if (!s.api->pending().empty())
          s.api->answer(0);
        else
          s.api->deliver_all();
      }
      s.restart();
      s.op.advance(60s);
      BOOST_TEST(s.status()["restarts"] == 1);
      BOOST_TEST(s.names("pods") == all_names);
      BOOST_TEST(s.phase() == "Starting");
    }
}

BOOST_AUTO_TEST_CASE(tasks_can_be_scaled_and_pods_deleted) {
  tasks_fixture s;
  s.make_job();
  s.all_ready();
  s.change("dijobs", "cp",
           [](json& j) { j["spec"]["tasks"][1]["replicas"] = 1; });
  s.op.advance(1s);
  BOOST_TEST(s.names("pods") == (strings{"cp-collector-0", "cp-learner-0"}));
  BOOST_TEST(s.phase() == "Running");
  s.api->erase("pods", "ns/cp-learner-0");
  s.op.advance(1s);
  BOOST_TEST(s.count("pods") == 2u);
  BOOST_TEST(s.phase() == "Starting");
  BOOST_TEST(s.status()["reschedules"] == 2);
  BOOST_TEST(s.status()["restarts"] == 0);
  s.api->erase("services", "ns/di-cp");
  s.op.run_until_idle();
  BOOST_TEST(s.names("services") == strings{"di-cp"});
}

BOOST_AUTO_TEST_CASE(a_refused_pod_is_tried_again) {
  tasks_fixture s;
  s.api->create("dijobs", s.manifest());
  s.run_failing(k8s::verb::create, "pods",
                {k8s::ec::forbidden, "exceeded quota"});
  BOOST_TEST(s.phase() == "Pending");
  BOOST_TEST(s.events_with("failed to create pod: cp-learner-0 error: exceeded "
                           "quota")
             >= 1u);
  s.op.advance(60s);
  BOOST_TEST(s.count("pods") == 3u);
  BOOST_TEST(s.status()["restarts"] == 0);
}

BOOST_AUTO_TEST_CASE(jobs_of_both_versions_do_not_disturb_each_other) {
  for (int parts : {1, 3})
    BOOST_TEST_CONTEXT(parts << " directories") {
      tasks_fixture s;
      s.op.options->directories = parts;
      s.op.options->child_watchers = parts;
      s.restart();
      s.make_job();
      auto other =
          fixtures::manifest_of("DIJob", di_spec(), "with-coordinator");
      other["apiVersion"] = "diengine.opendilab.org/v1alpha1";
      s.make("dijobs", other);
      BOOST_TEST(s.names("pods")
                 == (strings{"cp-collector-0", "cp-collector-1", "cp-learner-0",
                             "with-coordinator-coordinator"}));
      BOOST_TEST(s.get("dijobs", "with-coordinator")["status"]["phase"]
                 == "Created");
      auto before = s.writes();
      s.restart();
      s.op.advance(60s);
      BOOST_TEST(s.writes() == before);
      // Made again under its name in the other version.
      s.api->erase("dijobs", "ns/cp");
      for (const auto& name : all_names)
        s.api->erase("pods", "ns/" + name);
      s.api->erase("services", "ns/di-cp");
      other["metadata"]["name"] = "cp";
      s.make("dijobs", other);
      BOOST_TEST(
          s.names("pods")
          == (strings{"cp-coordinator", "with-coordinator-coordinator"}));
      BOOST_TEST(s.phase() == "Created");
    }
}

BOOST_AUTO_TEST_CASE(orphans_wait_for_the_job_of_their_version) {
  tasks_fixture s;
  s.make_job();
  s.make("pods", {{"metadata",
                   {{"name", "cp-coordinator"},
                    {"namespace", "ns"},
                    {"labels", core::selector_labels(make_dijob(di_spec()),
                                                     {"coordinator", 0})}}},
                  {"spec", di_template()["spec"]}});
  BOOST_TEST(s.count("pods") == 4u);
  BOOST_TEST(s.phase() == "Starting");
  s.api->erase("dijobs", "ns/cp");
  for (const auto& name : all_names)
    s.api->erase("pods", "ns/" + name);
  auto other = fixtures::manifest_of("DIJob", di_spec(), "cp");
  other["apiVersion"] = "diengine.opendilab.org/v1alpha1";
  s.make("dijobs", other);
  BOOST_TEST(s.names("pods") == strings{"cp-coordinator"});
  BOOST_TEST(
      (s.get("pods", "cp-coordinator")["metadata"]["ownerReferences"][0]["uid"]
       == s.get("dijobs", "cp")["metadata"]["uid"]));
}

BOOST_AUTO_TEST_CASE(a_report_says_what_a_job_waits_for) {
  tasks_fixture s;
  s.make_job();
  BOOST_TEST(s.summary()
             == "is starting (0 of 3 pods are ready): 0 of 3 replicas run; "
                "cp-learner-0 is not scheduled yet");
  s.all_pods("Running");
  s.op.advance(1s);
  BOOST_TEST(s.waits_for()
             == "cp-collector-0 and 2 other pods to become ready");
  s.all_ready();
  BOOST_TEST(s.summary() == "3 of 3 replicas run");
}

BOOST_AUTO_TEST_SUITE_END()
