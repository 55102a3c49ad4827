#include "frameworks/core/model/names.hpp"
#include "frameworks/core/observed/ownership.hpp"
#include "frameworks/core/spec/pod_template.hpp"
#include "frameworks/di/base/dijob_pods.hpp"
#include "tests/frameworks/di/dijob_fixture.hpp"
#include "tests/frameworks/kind_checks.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;
namespace di = frameworks::di;

BOOST_AUTO_TEST_SUITE(dijob_pods_test)

namespace {

json pod_of(const core::job& j, const di::pod_order& order) {
  auto pod = di::make_pod(j, order);
  BOOST_REQUIRE_MESSAGE(pod, (pod ? "" : pod.error().message));
  return json::parse(pod->body);
}

json coordinator_of(const core::job& j) {
  auto text = core::make_pod_json(j, {"coordinator", 0}, {});
  BOOST_REQUIRE_MESSAGE(text, (text ? "" : text.error().message));
  return json::parse(*text);
}

di::pod_order order(const char* role, const char* name) {
  di::pod_order o;
  o.role = role;
  o.name = name;
  o.pod_template = di_template().dump();
  o.server_address = "server:80";
  return o;
}

} // namespace

BOOST_AUTO_TEST_CASE(suffixes_are_numbers_in_base_27) {
  const std::pair<std::int32_t, const char*> rows[] = {
      {0, "bbbbb"},  {1, "bbbbc"},        {26, "bbbb9"},
      {27, "bbbcb"}, {14348906, "99999"},
  };
  for (const auto& [index, suffix] : rows) {
    BOOST_TEST(core::letter_suffix_of_index(index) == suffix);
    BOOST_TEST(core::index_from_letter_suffix(suffix) == index);
  }
  for (const char* none : {"", "bbbb", "bbbbbb", "bbbba", "bbbb1", "BBBBB"})
    BOOST_TEST(core::index_from_letter_suffix(none) == -1);
  BOOST_TEST(core::index_from_random_name("cp-collector-bbbcb") == 27);
  BOOST_TEST(core::index_from_random_name("collector") == -1);
}

BOOST_AUTO_TEST_CASE(names_say_job_role_and_suffix) {
  auto j = make_dijob(di_spec());
  BOOST_TEST(core::child_name(j, {"coordinator", 0}) == "cp-coordinator");
  BOOST_TEST(core::child_name(j, {"collector", 27}) == "cp-collector-bbbcb");
  BOOST_TEST(core::child_name(j, {"ddp-learner", 1}) == "cp-ddp-learner-bbbbc");
}

BOOST_AUTO_TEST_CASE(a_coordinator_is_its_template_with_our_additions) {
  auto spec = di_spec();
  spec["priorityClassName"] = "high";
  spec["volumes"] = json::array({{{"name", "cache"}}});
  auto& t = spec["coordinator"]["template"];
  t["metadata"] = {{"name", "x"},
                   {"labels", {{"team", "blue"}, {"pod-name", "liar"}}},
                   {"annotations", {{"note", "x"}}}};
  t["spec"]["containers"][0]["env"] = {{{"name", "MODE"}, {"value", "fast"}}};
  t["spec"]["containers"].push_back({{"name", "sidecar"}});
  auto p = coordinator_of(make_dijob(spec));
  BOOST_TEST((p["metadata"]
              == (json{{"name", "cp-coordinator"},
                       {"namespace", "default"},
                       {"labels",
                        {{"team", "blue"},
                         {"group-name", "diengine.opendilab.org"},
                         {"controller-name", "di-operator"},
                         {"dijob-name", "cp"},
                         {"replica-type", "coordinator"},
                         {"pod-name", "cp-coordinator"}}},
                       {"annotations", {{"note", "x"}}},
                       {"ownerReferences",
                        {{{"apiVersion", "diengine.opendilab.org/v1alpha1"},
                          {"kind", "DIJob"},
                          {"name", "cp"},
                          {"uid", "job-uid"},
                          {"controller", true}}}}})));
  const std::string added =
      "COORDINATOR_PORT=22273 "
      "KUBERNETES_COORDINATOR_URL=cp-coordinator.default:22273 "
      "KUBERNETES_POD_NAME=cp-coordinator KUBERNETES_POD_NAMESPACE=default "
      "KUBERNETES_SERVER_URL=di-server.di-system:8080";
  const auto& containers = p["spec"]["containers"];
  BOOST_TEST(variables(containers[0]) == "MODE=fast " + added);
  BOOST_TEST(variables(containers[1]) == added);
  BOOST_TEST(
      (containers[0]["ports"]
       == json::array({{{"name", "di-port"}, {"containerPort", 22273}}})));
  BOOST_TEST(!containers[1].contains("ports"));
  BOOST_TEST((p["spec"]["priorityClassName"] == "high"));
  BOOST_TEST((p["spec"]["restartPolicy"] == "Never"));
  BOOST_TEST((p["spec"]["volumes"] == json::array({{{"name", "cache"}}})));
}

BOOST_AUTO_TEST_CASE(a_template_decides_port_and_restart_policy) {
  auto spec = di_spec();
  auto& s = spec["coordinator"]["template"]["spec"];
  s["restartPolicy"] = "OnFailure";
  s["containers"][0]["ports"] = {
      {{"name", "web"}, {"containerPort", 80}},
      {{"name", "di-port"}, {"containerPort", 22270}}};
  auto p = coordinator_of(make_dijob(spec));
  BOOST_TEST((p["spec"]["restartPolicy"] == "OnFailure"));
  BOOST_TEST((p["spec"]["containers"][0]["ports"].size() == 2u));
  BOOST_TEST((p["spec"]["containers"][0]["env"][0]["value"] == "22270"));
}

BOOST_AUTO_TEST_CASE(each_role_has_a_port_and_a_name_for_it) {
  const std::tuple<const char*, const char*, int> rows[] = {
      {"collector", "COLLECTOR_PORT", 22270},
      {"learner", "LEARNER_PORT", 22271},
      {"ddp-learner", "LEARNER_PORT", 22271},
      {"aggregator", "AGGREGATOR_PORT", 22272},
      {"coordinator", "COORDINATOR_PORT", 22273},
      {"other", "COORDINATOR_PORT", 22273}};
  auto j = make_dijob(di_spec());
  for (const auto& [role, variable, port] : rows) {
    auto made = di::make_pod(j, order(role, "p"));
    BOOST_TEST(made->port == port);
    auto env = variables(json::parse(made->body)["spec"]["containers"][0]);
    BOOST_TEST(env.find(variable + ("=" + std::to_string(port)))
               != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(others_order_resources_variables_ports_and_owners) {
  auto spec = di_spec();
  spec["volumes"] = json::array({{{"name", "cache"}}});
  auto o = order("ddp-learner", "cp-ddp-learner-b2kzp");
  o.resources = {"16", "64Gi", "8"};
  o.variables = {{"WORLD_SIZE", "10"}, {"LOCAL_WORLD_SIZE", "8"}};
  o.labels = {{"ddp-learner-type", "ddp-learner-master"}};
  o.ports = {{"gpu-port-1", 22272}, {"master-port", 10314}};
  o.owners = {{"v1", "Pod", "cp-aggregator-4vxq7", "agg-uid", false}};
  auto p = pod_of(make_dijob(spec), o);
  const auto& c = p["spec"]["containers"][0];
  json amounts{{"cpu", "16"}, {"memory", "64Gi"}, {"nvidia.com/gpu", "8"}};
  BOOST_TEST(
      (c["resources"] == (json{{"limits", amounts}, {"requests", amounts}})));
  BOOST_TEST(variables(c)
             == "KUBERNETES_POD_NAME=cp-ddp-learner-b2kzp "
                "KUBERNETES_POD_NAMESPACE=default "
                "KUBERNETES_SERVER_URL=server:80 LEARNER_PORT=22271 "
                "LOCAL_WORLD_SIZE=8 WORLD_SIZE=10");
  BOOST_TEST(
      (p["metadata"]["labels"]["ddp-learner-type"] == "ddp-learner-master"));
  BOOST_TEST(
      (p["metadata"]["ownerReferences"][1]["name"] == "cp-aggregator-4vxq7"));
  BOOST_TEST((p["metadata"]["ownerReferences"][1]["controller"] == false));
  BOOST_TEST(
      (c["ports"]
       == json::array({{{"name", "di-port"}, {"containerPort", 22271}},
                       {{"name", "gpu-port-1"}, {"containerPort", 22272}},
                       {{"name", "master-port"}, {"containerPort", 10314}}})));
  BOOST_TEST(!p["spec"].contains("restartPolicy"));
  BOOST_TEST((p["spec"]["volumes"].size() == 1u));
  o.has_job_volumes = false;
  BOOST_TEST(!pod_of(make_dijob(spec), o)["spec"].contains("volumes"));
}

BOOST_AUTO_TEST_CASE(unset_resources_are_the_templates) {
  auto o = order("collector", "c");
  auto t = di_template();
  t["spec"]["containers"][0]["resources"] = {{"limits", {{"cpu", "1"}}}};
  o.pod_template = t.dump();
  o.resources.memory = "2Gi";
  auto p = pod_of(make_dijob(di_spec()), o);
  BOOST_TEST((p["spec"]["containers"][0]["resources"]
              == (json{{"limits", {{"cpu", "1"}, {"memory", "2Gi"}}},
                       {"requests", {{"memory", "2Gi"}}}})));
}

BOOST_AUTO_TEST_CASE(odd_templates_are_no_crash) {
  auto j = make_dijob(di_spec());
  auto o = order("collector", "c");
  for (const char* none : {"", "null", "{}", "[]", "{\"spec\":{}}"}) {
    o.pod_template = none;
    BOOST_TEST(!di::make_pod(j, o));
  }
  for (const char* odd :
       {R"({"spec":{"containers":[]}})", R"({"spec":{"containers":[3]}})",
        R"({"spec":{"containers":[{"name":"di-container","ports":3}]}})",
        R"({"metadata":3,"spec":{"containers":[{"name":"x","env":{}}]}})"}) {
    o.pod_template = odd;
    BOOST_TEST(bool(di::make_pod(j, o)));
  }
}

BOOST_AUTO_TEST_CASE(labels_name_the_job_and_the_slot) {
  auto j = make_dijob(di_spec());
  k8s::object_meta meta;
  meta.ns = "default";
  meta.name = "cp-collector-bbbcb";
  meta.labels = core::selector_labels(j, {"collector", 27});
  BOOST_TEST((core::claims_on_kind(meta, *j.kind).at()
              == core::slot{"collector", 27}));
  BOOST_TEST(core::labels_match_slot(meta, j, {"collector", 27}));
  BOOST_TEST(core::labels_match_or_kind_is_shared(
      core::child_kind::pod, core::claims_on_kind(meta, *j.kind), j));
  meta.labels["group-name"] = "else";
  BOOST_TEST(!core::labels_match_or_kind_is_shared(
      core::child_kind::pod, core::claims_on_kind(meta, *j.kind), j));
  BOOST_TEST(core::children_selector_of_job(j)
             == "dijob-name=cp,controller-name=di-operator,"
                "group-name=diengine.opendilab.org");
}

BOOST_AUTO_TEST_CASE(names_that_give_no_services_are_errors) {
  auto serial = di_spec();
  serial.erase("collector");
  serial.erase("learner");
  const std::tuple<std::string, json, std::string> rows[] = {
      {"cp", di_spec(), ""},
      {std::string(45, 'a'), di_spec(), ""},
      {std::string(46, 'a'), di_spec(), "ddp-learner-bbbbb"},
      {std::string(51, 'a'), serial, ""},
      {std::string(52, 'a'), serial, "-coordinator"},
      {"a.b", serial, "DNS-1035"},
      {"1a", serial, "DNS-1035"},
      {std::string(64, 'a'), serial, "no more than 63"}};
  for (const auto& [name, spec, expected] : rows)
    BOOST_TEST_CONTEXT(name) {
      auto problem = make_dijob(spec, name).validation_error;
      BOOST_TEST(problem.empty() == expected.empty(), problem);
      BOOST_TEST(problem.find(expected) != std::string::npos, problem);
    }
  BOOST_TEST(make_dijob(json::object()).validation_error
             == "spec.coordinator.template.spec.containers: Required value: "
                "must be specified");
}

BOOST_AUTO_TEST_SUITE_END()
