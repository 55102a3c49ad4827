#include "frameworks/conversions.hpp"
#include "frameworks/registry.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::frameworks;
using k8s::json;

BOOST_AUTO_TEST_SUITE(conversions_test)

BOOST_AUTO_TEST_CASE(a_conversion_is_found_by_group) {
  const auto* found =
      find_conversion_of_kind("diengine.opendilab.org/v2alpha1", "DIJob");
  BOOST_REQUIRE(found);
  BOOST_TEST(found->crd_name() == "dijobs.diengine.opendilab.org");
  BOOST_TEST(found->api_version("v1alpha1")
             == "diengine.opendilab.org/v1alpha1");
  BOOST_TEST(
      found == find_conversion_of_resource("diengine.opendilab.org", "dijobs"));
  BOOST_TEST(!find_conversion_of_kind("kubeflow.org/v1", "DIJob"));
  BOOST_TEST(!find_conversion_of_kind("diengine.opendilab.org/v1alpha1",
                                      "AggregatorConfig"));
  BOOST_TEST(!find_conversion_of_resource("kubeflow.org", "tfjobs"));
}

BOOST_AUTO_TEST_CASE(every_conversion_is_of_kinds_that_are_reconciled) {
  for (const auto& c : object_conversions()) {
    const auto* kind = find(c.kind);
    BOOST_REQUIRE(kind);
    BOOST_TEST(kind->names.type.group == c.group);
    BOOST_TEST(kind->names.type.plural == c.plural);
  }
}

BOOST_AUTO_TEST_CASE(marks_of_a_conversion_stay_as_they_are) {
  const auto& c = object_conversions().front();
  json job{{"apiVersion", c.api_version("v1alpha1")},
           {"kind", "DIJob"},
           {"metadata", {{"name", "j"}}}};
  BOOST_TEST(!is_converted(c, job));
  BOOST_TEST(find_conversion_write_error(c, job, nullptr) == "");
  auto marked = job;
  marked["metadata"]["labels"] = {{c.label, "v2alpha1"}};
  marked["metadata"]["annotations"] = {{c.annotation, R"({"spec":{}})"}};
  BOOST_TEST(is_converted(c, marked));
  BOOST_TEST(find_conversion_write_error(c, marked, marked) == "");
  BOOST_TEST(find_conversion_write_error(c, marked, nullptr)
             == "metadata.labels[diengine.opendilab.org/converted-from]: "
                "Forbidden: only conversion between versions writes it; leave "
                "it out");
  BOOST_TEST(find_conversion_write_error(c, job, marked)
             == "metadata.labels[diengine.opendilab.org/converted-from]: "
                "Forbidden: only conversion between versions writes it; leave "
                "it as it is");
  auto other = marked;
  other["metadata"]["annotations"][c.annotation] = "{}";
  BOOST_TEST(
      find_conversion_write_error(c, other, marked)
          .find("metadata.annotations[diengine.opendilab.org/unconverted]: "
                "Forbidden")
      == 0u);
  other = marked;
  other["spec"]["group"] = "g";
  BOOST_TEST(find_conversion_write_error(c, other, marked).find("spec.group: ")
             == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
