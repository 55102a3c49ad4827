#include "k8s/apiserver/resources/resource_registry.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(resource_registry_test)

namespace {

resource_ptr version_of(const char* version, const char* stored) {
  served_resource r;
  r.name = {"x.io", version, "jobs", "Job"};
  r.bucket = "jobs.x.io";
  r.custom = true;
  r.storage_version = stored;
  return std::make_shared<const served_resource>(std::move(r));
}

} // namespace

BOOST_AUTO_TEST_CASE(versions_of_one_resource_share_a_bucket) {
  resource_registry resources;
  auto built_in = resources.all().size();
  auto stored = [&] {
    auto found = resources.find_stored_version_by_bucket("jobs.x.io");
    return found ? found->name.version : "";
  };
  BOOST_TEST(stored() == "");
  resources.replace_custom_resource(
      "jobs.x.io",
      {version_of("v1", "v2"), version_of("v2", "v2"), version_of("v3", "v2")});
  BOOST_TEST(stored() == "v2");
  BOOST_TEST((resources.find("x.io", "v1", "jobs") != nullptr));
  BOOST_TEST((resources.find("", "v1", "jobs") == nullptr));
  // A version that is no longer in the definition is no longer served.
  resources.replace_custom_resource("jobs.x.io", {version_of("v3", "v3")});
  BOOST_TEST((resources.find("x.io", "v1", "jobs") == nullptr));
  BOOST_TEST(stored() == "v3");
  resources.replace_custom_resource("jobs.x.io", {});
  BOOST_TEST(stored() == "");
  BOOST_TEST(resources.all().size() == built_in);
}

BOOST_AUTO_TEST_CASE(events_are_stored_in_the_core_version) {
  auto found = resource_registry{}.find_stored_version_by_bucket("events");
  BOOST_TEST_REQUIRE(found);
  BOOST_TEST(found->name.api_version() == "v1");
}

BOOST_AUTO_TEST_CASE(a_definition_does_not_replace_what_is_built_in) {
  resource_registry resources;
  auto built_in = resources.all().size();
  resources.replace_custom_resource("pods", {});
  BOOST_TEST(resources.all().size() == built_in);
  BOOST_TEST((resources.find_stored_version_by_bucket("pods")
              == resources.find("", "v1", "pods")));
}

BOOST_AUTO_TEST_SUITE_END()
