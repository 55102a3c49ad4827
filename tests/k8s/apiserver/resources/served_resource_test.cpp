#include "k8s/apiserver/resources/served_resource.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(served_resource_test)

namespace {

json with_a_mark(const json& stored) {
  json out = stored;
  out["marked"] = true;
  return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_bucket_has_the_name_of_resource_and_group) {
  BOOST_TEST(plural_dot_group_bucket("", "pods") == "pods");
  BOOST_TEST(plural_dot_group_bucket("kubeflow.org", "tfjobs")
             == "tfjobs.kubeflow.org");
}

BOOST_AUTO_TEST_CASE(an_object_reads_as_the_version_that_is_asked_for) {
  struct row {
    const char* group;
    const char* version;
    bool custom;
    const char* storage_version;
    json (*from_storage)(const json&);
    bool is_storage_version;
    json converted;
  };
  // clang-format off
  const row rows[] = {
      {"x.io", "v2", true, "v2", nullptr, true, {{"apiVersion", "x.io/v2"}}},
      {"x.io", "v1", true, "v2", nullptr, false, {{"apiVersion", "x.io/v1"}}},
      {"y.io", "v2", false, "", with_a_mark, false, {{"apiVersion", "y.io/v2"}, {"marked", true}}},
      {"", "v1", false, "", nullptr, true, {{"apiVersion", "v1"}}},
  };
  // clang-format on
  for (const auto& r : rows) {
    served_resource type;
    type.name.group = r.group;
    type.name.version = r.version;
    type.custom = r.custom;
    type.storage_version = r.storage_version;
    type.from_storage = r.from_storage;
    BOOST_TEST(type.is_storage_version() == r.is_storage_version);
    auto out =
        convert_builtin_to_served_version(type, {{"apiVersion", "x.io/v2"}});
    BOOST_TEST(out == r.converted, out);
  }
}

BOOST_AUTO_TEST_SUITE_END()
