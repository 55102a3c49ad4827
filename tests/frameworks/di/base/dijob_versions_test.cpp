#include "frameworks/di/base/dijob_versions.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(dijob_versions_test)

using namespace troupe::frameworks::di;
using k8s::json;

BOOST_AUTO_TEST_CASE(a_version_is_that_of_the_group) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"apiVersion": "diengine.opendilab.org/v1alpha1"})", "v1alpha1"},
      {R"({"apiVersion": "diengine.opendilab.org/v2alpha1"})", "v2alpha1"},
      {R"({"apiVersion": "diengine.opendilab.org/v3"})", ""},
      {R"({"apiVersion": "kubeflow.org/v1alpha1"})", ""},
      {R"({"apiVersion": "v1alpha1"})", ""},
      {R"({"apiVersion": 1})", ""},
      {"[]", ""},
  };
  for (const auto& [text, name] : rows) {
    const auto* version = dijob_version_of(json::parse(text));
    BOOST_TEST((version ? version->name : std::string{}) == name, text);
    if (version) {
      BOOST_TEST(version == find_dijob_version(name));
      BOOST_TEST(&other_dijob_version(*version) != version);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_field_of_one_version_is_set_or_unset) {
  struct row {
    const char* version;
    const char* spec;
    const char* field;
  };
  const row rows[] = {
      {"v1alpha1", R"({"cleanPodPolicy": "All", "volumes": [{}]})", ""},
      {"v1alpha1", R"({"group": "", "collector": {}, "learner": null})", ""},
      {"v1alpha1", R"({"group": "g"})", "spec.group"},
      {"v1alpha1", R"({"tasks": [1]})", "spec.tasks"},
      {"v2alpha1", R"({"tasks": [], "backoffLimit": 3,
                       "preemptible": false, "priority": "normal"})",
       ""},
      {"v2alpha1", R"({"backoffLimit": 0})", "spec.backoffLimit"},
      {"v2alpha1", R"({"preemptible": true})", "spec.preemptible"},
      {"v2alpha1", "7", ""},
  };
  for (const auto& r : rows)
    BOOST_TEST(find_version_specific_spec_field(json::parse(r.spec),
                                                *find_dijob_version(r.version))
                   == r.field,
               r.spec);
  BOOST_TEST(
      find_version_specific_status_field(
          {{"phase", "x"}, {"restarts", 0}, {"profilings", json::object()}})
      == "");
  BOOST_TEST(find_version_specific_status_field({{"replicas", 1}})
             == "status.replicas");
}

BOOST_AUTO_TEST_CASE(defaults_are_those_of_the_definition) {
  auto spec = json::object();
  reset_own_and_fill_common_fields(spec, *find_dijob_version("v1alpha1"));
  BOOST_TEST(spec.empty());
  spec = {{"cleanPodPolicy", "All"}};
  reset_own_and_fill_common_fields(spec, *find_dijob_version("v2alpha1"));
  BOOST_TEST(spec == json::parse(R"({
    "backoffLimit": 3, "cleanPodPolicy": "All", "preemptible": false,
    "priority": "normal", "tasks": []})"));
  spec.erase("cleanPodPolicy");
  reset_own_and_fill_common_fields(spec, *find_dijob_version("v2alpha1"));
  BOOST_TEST(spec["cleanPodPolicy"] == "Running");
}

BOOST_AUTO_TEST_SUITE_END()
