#include "actors/cli/operator/stored_versions.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using nlohmann::json;
using troupe::cli::rewrite_advice;

BOOST_AUTO_TEST_SUITE(stored_versions_test)

namespace {

json definition(const char* storage, const json& stored) {
  json d{{"metadata", {{"name", "mpijobs.kubeflow.org"}}},
         {"spec",
          {{"group", "kubeflow.org"},
           {"names", {{"plural", "mpijobs"}}},
           {"versions", json::array()}}},
         {"status", {{"storedVersions", stored}}}};
  for (const char* name : {"v1", "v2beta1"})
    d["spec"]["versions"].push_back(
        {{"name", name}, {"storage", std::string{name} == storage}});
  return d;
}

} // namespace

BOOST_AUTO_TEST_CASE(objects_in_several_versions_can_be_rewritten_in_one) {
  BOOST_TEST(rewrite_advice(nullptr) == "");
  BOOST_TEST(rewrite_advice(definition("v1", {"v1"})) == "");
  BOOST_TEST(rewrite_advice(definition("", {"v1", "v2beta1"})) == "");
  BOOST_TEST(
      rewrite_advice(definition("v2beta1", {"v1", "v2beta1"}))
      == "kubectl get mpijobs.v2beta1.kubeflow.org -A -o json | kubectl "
         "replace "
         "-f - && kubectl patch customresourcedefinition mpijobs.kubeflow.org "
         "--subresource=status --type=merge --patch "
         R"('{"status":{"storedVersions":["v2beta1"]}}')");
}

BOOST_AUTO_TEST_SUITE_END()
