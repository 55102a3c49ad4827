#include "frameworks/core/spec/pod_template.hpp"
#include "tests/frameworks/kind_checks.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(pod_template_test)

namespace {

json service_of(const core::job& j, const char* type, int index) {
  auto text = core::make_service_json(j, {type, index});
  BOOST_REQUIRE(bool(text));
  return json::parse(*text);
}

const json owner = {{"apiVersion", "kubeflow.org/v1"},
                    {"kind", "TFJob"},
                    {"name", "job"},
                    {"uid", "job-uid"},
                    {"controller", true},
                    {"blockOwnerDeletion", true}};

json labels(const char* type, const char* index) {
  return {{"training.kubeflow.org/operator-name", "tfjob-controller"},
          {"training.kubeflow.org/job-name", "job"},
          {"training.kubeflow.org/replica-type", type},
          {"training.kubeflow.org/replica-index", index}};
}

} // namespace

BOOST_AUTO_TEST_CASE(a_pod_is_its_template_with_our_names_on_it) {
  auto b = make_job();
  b.workers(2).restart_policy("ExitCode");
  auto& t = b.pod_template("Worker");
  t["metadata"] = {
      {"name", "x"},
      {"namespace", "y"},
      {"generateName", "z"},
      {"ownerReferences", json::array()},
      {"labels",
       {{"team", "blue"}, {"training.kubeflow.org/job-name", "liar"}}},
      {"annotations", {{"note", "x"}}},
      {"finalizers", {"a/b"}}};
  t["spec"]["nodeSelector"] = {{"disk", "ssd"}};
  t["spec"]["restartPolicy"] = "Always";
  t["spec"]["containers"][0]["env"] = {{{"name", "MODE"}, {"value", "fast"}}};
  auto p = pod_of(b, "worker", 1);

  auto expected = labels("worker", "1");
  expected["team"] = "blue";
  BOOST_TEST((p["metadata"]
              == (json{{"name", "job-worker-1"},
                       {"namespace", "ns"},
                       {"labels", expected},
                       {"annotations", {{"note", "x"}}},
                       {"finalizers", {"a/b"}},
                       {"ownerReferences", {owner}}})));
  BOOST_TEST((p["kind"] == "Pod"));
  BOOST_TEST((p["spec"]["restartPolicy"] == "Never"));
  BOOST_TEST((p["spec"]["nodeSelector"]["disk"] == "ssd"));
  const auto& c = p["spec"]["containers"][0];
  BOOST_TEST((c["env"][0]["name"] == "MODE"));
  BOOST_TEST((c["env"][1]["name"] == "TF_CONFIG"));
  BOOST_TEST((c["ports"][0]
              == (json{{"name", "tfjob-port"}, {"containerPort", 2222}})));
}

BOOST_AUTO_TEST_CASE(the_restart_policy_is_the_replicas) {
  for (const char* policy : {"Never", "OnFailure", "Always", "Sometimes"})
    BOOST_TEST((pod_of(make_job().workers(1).restart_policy(policy), "worker",
                       0)["spec"]["restartPolicy"]
                == policy));
}

BOOST_AUTO_TEST_CASE(a_template_that_says_too_much_is_remarked_upon) {
  auto b = make_job();
  b.workers(1);
  BOOST_TEST(core::pod_template_warnings(b, {"worker", 0}, {}).empty());
  b.pod_template("Worker")["spec"]["restartPolicy"] = "Always";
  auto remarks = core::pod_template_warnings(b, {"worker", 0}, {});
  BOOST_REQUIRE_EQUAL(remarks.size(), 1u);
  BOOST_TEST(remarks[0].warning);
  BOOST_TEST(remarks[0].reason == "SetPodTemplateRestartPolicy");
}

BOOST_AUTO_TEST_CASE(a_service_is_headless_and_selects_one_pod) {
  auto b = make_job();
  b.workers(2).pod_template("Worker")["spec"]["containers"][0]["ports"] = {
      {{"name", "metrics"}, {"containerPort", 9100}}};
  auto s = service_of(b, "worker", 1);
  BOOST_TEST((s["metadata"]
              == (json{{"name", "job-worker-1"},
                       {"namespace", "ns"},
                       {"labels", labels("worker", "1")},
                       {"ownerReferences", {owner}}})));
  BOOST_TEST((s["spec"]
              == (json{{"clusterIP", "None"},
                       {"selector", labels("worker", "1")},
                       {"ports",
                        {{{"name", "metrics"}, {"port", 9100}},
                         {{"name", "tfjob-port"}, {"port", 2222}}}}})));
}

BOOST_AUTO_TEST_CASE(the_ports_of_a_service_are_such_as_the_server_takes) {
  auto b = make_job();
  b.workers(1).pod_template("Worker")["spec"]["containers"][0]["ports"] = {
      {{"containerPort", 80}},
      {{"name", "a"}, {"containerPort", 81}},
      {{"name", "a"}, {"containerPort", 82}},
      {{"name", "b"}, {"containerPort", 82}}};
  BOOST_TEST((service_of(b, "worker", 0)["spec"]["ports"]
              == (json{{{"name", "port-80"}, {"port", 80}},
                       {{"name", "a"}, {"port", 82}},
                       {{"name", "tfjob-port"}, {"port", 2222}}})));
}

BOOST_AUTO_TEST_CASE(the_protocol_of_a_port_stays) {
  auto b = make_job();
  b.workers(1).pod_template("Worker")["spec"]["containers"][0]["ports"] = {
      {{"name", "dns"}, {"containerPort", 53}, {"protocol", "UDP"}},
      {{"name", "dns-tcp"}, {"containerPort", 53}, {"protocol", "TCP"}},
      {{"name", "again"}, {"containerPort", 53}},
      {{"containerPort", 81}, {"protocol", "SCTP"}}};
  BOOST_TEST(
      (service_of(b, "worker", 0)["spec"]["ports"]
       == (json{{{"name", "dns"}, {"port", 53}, {"protocol", "UDP"}},
                {{"name", "dns-tcp"}, {"port", 53}},
                {{"name", "port-81"}, {"port", 81}, {"protocol", "SCTP"}},
                {{"name", "tfjob-port"}, {"port", 2222}}})));
}

BOOST_AUTO_TEST_CASE(a_readiness_check_does_not_hide_the_address) {
  const json probe{{"tcpSocket", {{"port", 2222}}}};
  struct row {
    const char* description;
    const char* part; ///< Of the pod's spec.
    json value;
    bool published;
  } rows[] = {
      {"no probe", "nodeSelector", {{"disk", "ssd"}}, false},
      {"a readiness gate",
       "readinessGates",
       {{{"conditionType", "x/y"}}},
       true},
      {"no gates", "readinessGates", json::array(), false},
      {"a probe",
       "containers",
       {{{"name", "tensorflow"}, {"readinessProbe", probe}}},
       true},
      {"a probe of another container",
       "containers",
       {{{"name", "tensorflow"}},
        {{"name", "side"}, {"readinessProbe", probe}}},
       true},
      {"a probe of a sidecar",
       "initContainers",
       {{{"name", "side"},
         {"restartPolicy", "Always"},
         {"readinessProbe", probe}}},
       true},
      {"a startup probe",
       "containers",
       {{{"name", "tensorflow"}, {"startupProbe", probe}}},
       true},
      {"a startup probe of a sidecar",
       "initContainers",
       {{{"name", "side"},
         {"restartPolicy", "Always"},
         {"startupProbe", probe}}},
       false},
      {"other probes",
       "containers",
       {{{"name", "tensorflow"},
         {"livenessProbe", probe},
         {"readinessProbe", nullptr}}},
       false},
  };
  for (const auto& r : rows) {
    auto b = make_job();
    b.workers(1).servers(1).pod_template("Worker")["spec"][r.part] = r.value;
    auto spec = service_of(b, "worker", 0)["spec"];
    BOOST_TEST(spec.contains("publishNotReadyAddresses") == r.published,
               r.description);
    if (r.published)
      BOOST_TEST(spec["publishNotReadyAddresses"] == true);
    BOOST_TEST(
        !service_of(b, "ps", 0)["spec"].contains("publishNotReadyAddresses"));
  }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_made_says_why) {
  core::job j = make_job().workers(1);
  auto no_type = core::make_pod_json(j, {"ps", 0}, {});
  BOOST_REQUIRE(!no_type);
  BOOST_TEST((no_type.error().code == k8s::ec::invalid));
  auto b = make_job();
  b.workers(1).pod_template("Worker")["spec"]["containers"][0]["name"] = "x";
  auto no_port = core::make_service_json(b, {"worker", 0});
  BOOST_REQUIRE(!no_port);
  BOOST_TEST(no_port.error().message == "failed to find the port");
}

BOOST_AUTO_TEST_CASE(patches_apply_to_one_object_only) {
  core::job j = make_job().workers(1);
  auto adoption = json::parse(core::adoption_patch(j, "u"));
  BOOST_TEST((adoption["metadata"]["uid"] == "u"));
  BOOST_TEST((adoption["metadata"]["ownerReferences"][0] == owner));
  auto release = json::parse(core::release_patch(j, "u"));
  BOOST_TEST((release["metadata"]["uid"] == "u"));
  BOOST_TEST(release["metadata"]["ownerReferences"].dump()
             == R"([{"$patch":"delete","uid":"job-uid"}])");
}

BOOST_AUTO_TEST_CASE(a_variable_of_the_template_is_not_set_again) {
  for (const auto& kind : frameworks::all()) {
    if (!kind.hooks.environment)
      continue;
    BOOST_TEST_CONTEXT(kind.names.type.kind) {
      auto b = make_least_job_of(kind).workers(2);
      auto env_of_worker = [&] {
        return json::parse(*core::make_pod_json(
            b, {"worker", 1}, {}))["spec"]["containers"][0]["env"];
      };
      const auto usual = env_of_worker();
      BOOST_REQUIRE(!usual.empty());
      // Each of them, as a text or taken from somewhere.
      for (const auto& v : usual) {
        json own{{"name", v["name"]},
                 {"valueFrom", {{"fieldRef", {{"fieldPath", "a.b"}}}}}};
        b.pod_template("Worker")["spec"]["containers"][0]["env"] =
            json::array({own});
        auto wanted = json::array({own});
        for (const auto& other : usual)
          if (other["name"] != v["name"])
            wanted.push_back(other);
        BOOST_TEST(env_of_worker() == wanted);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
