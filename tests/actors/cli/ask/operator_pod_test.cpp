#include "actors/cli/ask/operator_pod.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::cli;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(operator_pod_test)

namespace {

json pod(const char* name, bool ready, json args = json::array()) {
  return {{"metadata", {{"namespace", "kubeflow"}, {"name", name}}},
          {"spec", {{"containers", {{{"args", std::move(args)}}}}}},
          {"status",
           {{"phase", "Running"},
            {"conditions",
             {{{"type", "Ready"}, {"status", ready ? "True" : "False"}}}}}}};
}

json held_by(const char* holder) {
  return {{"spec", {{"holderIdentity", holder}}}};
}

/// "NAME PORT", or the error.
std::string chosen(json pods, const json& lease) {
  auto found = choose_operator_pod({{"items", std::move(pods)}}, lease);
  return found ? found->name + " " + std::to_string(found->admin_port)
               : found.error().message;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_holder_of_the_lease_is_preferred) {
  auto gone = pod("a", true);
  gone["metadata"]["deletionTimestamp"] = "2026-01-31T12:00:00Z";
  struct row {
    json pods;
    json lease;
    const char* chosen;
  };
  const row rows[] = {
      {{pod("a", true), pod("b", true)}, held_by("b_17.boot.4_x"), "b 8082"},
      {{pod("a", true), pod("b", false)}, held_by("b_17.boot.4_x"), "b 8082"},
      {{pod("a", false), pod("b", true)}, held_by("c_17.boot.4_x"), "b 8082"},
      {{pod("a", false), pod("b", true)}, json{}, "b 8082"},
      {{gone, pod("b", true)}, held_by("a_1"), "b 8082"},
      {{pod("a", false)},
       json{},
       "no pod with the label control-plane=kubeflow-training-operator is "
       "ready"},
      {json::array(), json{},
       "no pod has the label control-plane=kubeflow-training-operator; name "
       "the operator's namespace with --operator-namespace, or its admin "
       "address with --admin"},
  };
  for (const auto& r : rows)
    BOOST_TEST(chosen(r.pods, r.lease) == r.chosen);
}

BOOST_AUTO_TEST_CASE(the_admin_port_is_that_of_the_pods_arguments) {
  struct row {
    json args;
    const char* chosen;
  };
  const row rows[] = {
      {{"--leader-elect", "--admin-bind-address=127.0.0.1:9000"}, "a 9000"},
      {{"-admin-bind-address", "127.0.0.1:9001"}, "a 9001"},
      {{"--admin-bind-address", ":9002", "x"}, "a 9002"},
      {{"--admin-bind-address"}, "a 8082"},
      {{"--admin-bind-address=0"},
       "pod kubeflow/a has no admin endpoint: its argument "
       "--admin-bind-address is 0"},
  };
  for (const auto& r : rows)
    BOOST_TEST(chosen({pod("a", true, r.args)}, json{}) == r.chosen);
}

BOOST_AUTO_TEST_SUITE_END()
