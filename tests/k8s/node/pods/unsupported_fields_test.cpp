#include "k8s/node/pods/unsupported_fields.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <unistd.h>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(unsupported_fields_test)

BOOST_AUTO_TEST_CASE(what_has_no_effect_is_named) {
  auto p = json::parse(R"({"spec":{"containers":[
    {"resources":{"limits":{"cpu":1}},"livenessProbe":{"exec":{}}},
    {"resources":{},"lifecycle":{"preStop":{}}}]}})");
  BOOST_TEST(join_ignored_field_names(p)
             == "lifecycle, livenessProbe, resources.limits");
  BOOST_TEST(join_ignored_field_names(json::parse(R"({"spec":{}})")) == "");
  BOOST_TEST(join_ignored_field_names(json::parse(R"({"spec":{"containers":[
    {"resources":{"limits":{"nvidia.com/gpu":1},"requests":{"memory":"1Gi"}}}
    ]}})")) == "resources.requests");
}

BOOST_AUTO_TEST_CASE(the_containers_user_counts_before_the_pods) {
  auto p = json::parse(R"({"spec":{"securityContext":{"runAsUser":424242},
    "containers":[{"name":"c","command":["x"]}]}})");
  BOOST_TEST(!find_unsupported_field_error(p)); // It runs, and is warned of.
  BOOST_TEST(join_ignored_field_names(p)
             == "securityContext.runAsUser (containers run as user "
                    + std::to_string(::getuid()) + ")");
  auto& user = p["spec"]["containers"][0]["securityContext"]["runAsUser"];
  user = ::getuid();
  BOOST_TEST(join_ignored_field_names(p) == "");
  user = static_cast<double>(::getuid());
  BOOST_TEST(join_ignored_field_names(p) == "");
  for (json other : {json(::getuid() + 1), json(1e300), json(-1e300)}) {
    user = other;
    BOOST_TEST(join_ignored_field_names(p) != "", other);
  }
}

BOOST_AUTO_TEST_CASE(what_nobody_wrote_is_not_warned_of) {
  auto with_init = [](const char* name) {
    auto p = json::parse(R"({"spec":{"containers":[{"name":"pytorch"}],
      "initContainers":[{"resources":{"limits":{"cpu":"100m"}},
                         "securityContext":{"runAsUser":424242}}]}})");
    p["spec"]["initContainers"][0]["name"] = name;
    return join_ignored_field_names(p);
  };
  BOOST_TEST(with_init("init-pytorch") == "");
  BOOST_TEST(with_init("kubectl-delivery") == "");
  BOOST_TEST(with_init("download").rfind("resources.limits, securityContext", 0)
             == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
