#include "frameworks/conversions.hpp"
#include "k8s/general/base64.hpp"
#include "tests/actors/webhook/review_fixture.hpp"
#include "tests/frameworks/di/dijob_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(dijob_review_test)

namespace {

json dijob(const char* policy) {
  auto spec = di_spec();
  if (*policy != '\0')
    spec["cleanPodPolicy"] = policy;
  return {{"apiVersion", "diengine.opendilab.org/v1alpha1"},
          {"kind", "DIJob"},
          {"metadata", {{"name", "cp"}, {"namespace", "ns"}}},
          {"spec", spec}};
}

} // namespace

BOOST_AUTO_TEST_CASE(a_dijob_is_denied_with_a_reason_and_no_message) {
  const char* path = "/validate-diengine-opendilab-org-v1alpha1-dijob";
  for (const char* good : {"Running", "All", "ALL", "None"})
    BOOST_TEST(
        response_to(path, review_of("CREATE", dijob(good)).dump())["allowed"]
        == true);
  auto job = dijob("Most");
  for (const auto& review :
       {review_of("CREATE", job), review_of("UPDATE", job, dijob("All"))}) {
    auto response = response_to(path, review.dump());
    BOOST_TEST(response["allowed"] == false);
    BOOST_TEST(response["status"]
               == (json{{"metadata", json::object()},
                        {"code", 403},
                        {"reason", "Invalid CleanPodPolicy Most, expected in "
                                   "[None, Running, All]"}}));
  }
}

BOOST_AUTO_TEST_CASE(the_policy_of_a_dijob_is_set_if_it_has_none) {
  const char* path = "/mutate-diengine-opendilab-org-v1alpha1-dijob";
  for (const char* policy : {"Running", "ALL"})
    BOOST_TEST(!response_to(path, review_of("CREATE", dijob(policy)).dump())
                    .contains("patch"));
  auto response = response_to(path, review_of("CREATE", dijob("")).dump());
  BOOST_TEST(response["allowed"] == true);
  BOOST_TEST(response["patchType"] == "JSONPatch");
  auto patch = json::parse(
      k8s::from_base64(response["patch"].get<std::string>()).value());
  BOOST_TEST(patch
             == json::array({{{"op", "add"},
                              {"path", "/spec/cleanPodPolicy"},
                              {"value", "Running"}}}));
  auto status = review_of("UPDATE", dijob(""), dijob(""));
  status["request"]["subResource"] = "status";
  BOOST_TEST(!response_to(path, status.dump()).contains("patch"));
  BOOST_TEST(!response_to(path, review_of("DELETE", nullptr, dijob("")).dump())
                  .contains("patch"));
}

BOOST_AUTO_TEST_CASE(a_job_that_was_made_in_another_version_has_its_rules) {
  const auto& c = frameworks::object_conversions().front();
  const auto& kind = *frameworks::find("DIJob");
  json made{{"apiVersion", c.api_version("v2alpha1")},
            {"kind", "DIJob"},
            {"metadata", {{"name", "j"}, {"namespace", "ns"}}},
            {"spec", {{"tasks", {{{"type", "learner"}}}}}}};
  auto view = *c.convert(made, "v1alpha1");
  // It has no coordinator, and no policy to be set.
  BOOST_TEST(!actors::find_admission_error(kind, view, view));
  auto same = view;
  actors::set_admission_defaults_if_any(kind, same);
  BOOST_TEST(same == view);
  auto changed = view;
  changed["spec"]["cleanPodPolicy"] = "All";
  BOOST_TEST(!actors::find_admission_error(kind, changed, view));
  changed["spec"]["coordinator"] = {{"template", json::object()}};
  auto error = actors::find_admission_error(kind, changed, view);
  BOOST_REQUIRE(error);
  BOOST_TEST(error->find("spec.coordinator: Forbidden: the job was made as "
                         "diengine.opendilab.org/v2alpha1")
             == 0u);
  changed = view;
  changed["metadata"].erase("labels");
  BOOST_TEST(actors::find_admission_error(kind, changed, view).has_value());
  // Nobody marks a job himself.
  error = actors::find_admission_error(kind, view, nullptr);
  BOOST_REQUIRE(error);
  BOOST_TEST(error->find("leave it out") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
