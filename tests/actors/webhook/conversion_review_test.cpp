#include "actors/webhook/conversion_review.hpp"
#include "frameworks/conversions.hpp"
#include "k8s/json.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using k8s::json;

BOOST_AUTO_TEST_SUITE(conversion_review_test)

namespace {

k8s::http::response post_conversion(const std::string& body) {
  k8s::http::request r;
  r.method = "POST";
  r.path = actors::conversion_path;
  r.body = body;
  return actors::answer_conversion_review(r);
}

json conversion_review_of(json objects, const std::string& version) {
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "ConversionReview"},
          {"request",
           {{"uid", "u"},
            {"desiredAPIVersion", version},
            {"objects", std::move(objects)}}}};
}

json dijob_of_tasks(const std::string& name) {
  return {{"apiVersion", "diengine.opendilab.org/v2alpha1"},
          {"kind", "DIJob"},
          {"metadata", {{"name", name}, {"namespace", "ns"}}},
          {"spec", {{"tasks", {{{"type", "learner"}}}}}}};
}

json response_of(json objects, const std::string& version) {
  auto answer =
      post_conversion(conversion_review_of(std::move(objects), version).dump());
  BOOST_REQUIRE_EQUAL(answer.status, 200);
  BOOST_TEST(answer.content_type == "application/json");
  auto body = json::parse(answer.body);
  BOOST_TEST(body["apiVersion"] == "apiextensions.k8s.io/v1");
  BOOST_TEST(body["kind"] == "ConversionReview");
  BOOST_TEST(body["response"]["uid"] == "u");
  return body["response"];
}

} // namespace

BOOST_AUTO_TEST_CASE(objects_are_converted_in_their_order) {
  const std::string to = "diengine.opendilab.org/v1alpha1";
  auto made = response_of({dijob_of_tasks("a"), dijob_of_tasks("b")}, to);
  BOOST_TEST(made["result"]["status"] == "Success");
  BOOST_REQUIRE_EQUAL(made["convertedObjects"].size(), 2u);
  BOOST_TEST(made["convertedObjects"][0]["metadata"]["name"] == "a");
  BOOST_TEST(made["convertedObjects"][1]["metadata"]["name"] == "b");
  BOOST_TEST(made["convertedObjects"][1]["apiVersion"] == to);
  auto back =
      response_of(made["convertedObjects"], "diengine.opendilab.org/v2alpha1");
  BOOST_TEST(back["convertedObjects"][0] == dijob_of_tasks("a"));
  made = response_of(json::array(), to);
  BOOST_TEST(made["result"]["status"] == "Success");
  BOOST_TEST(made["convertedObjects"].empty());
}

BOOST_AUTO_TEST_CASE(one_that_cannot_be_converted_is_named) {
  auto odd = dijob_of_tasks("odd");
  odd["metadata"]["labels"] = {
      {frameworks::object_conversions().front().label, "v1alpha1"}};
  const std::string to = "diengine.opendilab.org/v1alpha1";
  auto made = response_of({dijob_of_tasks("a"), odd}, to);
  BOOST_TEST(made["result"]["status"] == "Failure");
  BOOST_TEST(made["convertedObjects"].empty());
  auto message = made["result"]["message"].get<std::string>();
  BOOST_TEST(message.find("ns/odd: metadata.annotations[") == 0u, message);
  message = response_of(json::array({odd}), to)["result"]["message"];
  BOOST_TEST(message.find("metadata.annotations[") == 0u, message);
}

BOOST_AUTO_TEST_CASE(what_is_not_known_is_not_converted) {
  struct row {
    json object;
    const char* version;
    const char* message;
  };
  json other{{"apiVersion", "kubeflow.org/v1"}, {"kind", "TFJob"}};
  // clang-format off
  const row rows[] = {
      {other, "kubeflow.org/v2",
       "no conversion of TFJob from kubeflow.org/v1 to kubeflow.org/v2 is known"},
      {dijob_of_tasks("a"), "kubeflow.org/v1alpha1",
       "no conversion of DIJob from diengine.opendilab.org/v2alpha1 to kubeflow.org/v1alpha1 is known"},
      {dijob_of_tasks("a"), "v1alpha1",
       "no conversion of DIJob from diengine.opendilab.org/v2alpha1 to v1alpha1 is known"},
      {dijob_of_tasks("a"), "diengine.opendilab.org/v3",
       "a DIJob cannot be converted to v3, only to v1alpha1 and v2alpha1"},
      {nullptr, "x/v1", "no conversion of  from  to x/v1 is known"},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto made = response_of(json::array({r.object}), r.version);
    BOOST_TEST(made["result"]["status"] == "Failure");
    BOOST_TEST(made["result"]["message"] == r.message);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_review_is_refused) {
  auto good = conversion_review_of(json::array(), "x/v1");
  auto changed = [&](const char* patch) {
    auto out = good;
    out.merge_patch(json::parse(patch));
    return out.dump();
  };
  const std::pair<std::string, const char*> rows[] = {
      {"{", "the body is not JSON"},
      {"[]", "the body must have the kind ConversionReview"},
      {changed(R"({"apiVersion": "apiextensions.k8s.io/v1beta1"})"),
       "set spec.conversion.webhook.conversionReviewVersions to [v1]"},
      {changed(R"({"request": {"uid": ""}})"), "request.uid is missing"},
      {changed(R"({"request": {"desiredAPIVersion": 1}})"),
       "request.desiredAPIVersion is missing"},
      {changed(R"({"request": {"objects": {}}})"),
       "request.objects must be an array"},
  };
  for (const auto& [body, part] : rows) {
    auto answer = post_conversion(body);
    BOOST_TEST(answer.status == 400, body);
    BOOST_TEST(answer.body.find(part) != std::string::npos, answer.body);
  }
  k8s::http::request r;
  r.method = "GET";
  r.path = actors::conversion_path;
  auto answer = actors::answer_conversion_review(r);
  BOOST_TEST(answer.status == 405);
  BOOST_TEST(answer.headers["Allow"] == "POST");
}

BOOST_AUTO_TEST_SUITE_END()
