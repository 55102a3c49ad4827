// Jobs that are too deep, or have too many values.
#include "tests/actors/webhook/large_objects.hpp"
#include "tests/actors/webhook/review_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::fixtures;

BOOST_AUTO_TEST_SUITE(admission_limits_test)

namespace {

/// A review as text, as its objects are too dense for values: what is in their
/// metadata beside the name, and their specs.
std::string dense_review(const core::framework& f, const std::string& meta,
                         const std::string& spec, const std::string& old_spec) {
  auto object = [&](const std::string& more, const std::string& its_spec) {
    return "{\"apiVersion\":\"" + f.names.type.api_version() + "\",\"kind\":\""
           + f.names.type.kind
           + R"(","metadata":{"name":"job","namespace":"ns")" + more
           + "},\"spec\":" + its_spec + "}";
  };
  auto request = std::string{R"({"uid":"review-1","operation":")"}
                 + (old_spec.empty() ? "CREATE" : "UPDATE") + R"(","object":)"
                 + object(meta, spec);
  if (!old_spec.empty())
    request += ",\"oldObject\":" + object("", old_spec);
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
         R"("request":)"
         + request + "}}";
}

/// The message or reason of a refusal, "" if it is allowed.
std::string refusal_by(const std::string& path, const std::string& body) {
  auto response = response_to(path, body);
  if (response["allowed"] == true)
    return "";
  const auto& status = response["status"];
  return status.contains("message") ? status["message"] : status["reason"];
}

} // namespace

BOOST_AUTO_TEST_CASE(a_job_that_is_too_deep_is_denied_for_every_kind) {
  for (const auto& f : frameworks::all())
    for (std::size_t levels : {150u, 198u, 1'100u, 9'990u})
      BOOST_TEST_CONTEXT(f.names.type.kind << " " << levels) {
        json job{{"apiVersion", f.names.type.api_version()},
                 {"kind", f.names.type.kind},
                 {"metadata", {{"name", "job"}, {"namespace", "ns"}}},
                 {"spec", json::object()}};
        auto old = job;
        std::string created;
        std::string updated;
        auto deep = with_nesting(job, levels);
        k8s::run_on_deep_json_thread([&] {
          created = k8s::to_text(review_of("CREATE", deep));
          updated = k8s::to_text(review_of("UPDATE", deep, deep));
        });
        auto path = actors::validating_webhook_path(f);
        auto refusal = answer_to(path, created);
        BOOST_TEST(refusal.status == 200);
        BOOST_TEST(refusal.body.find("\"allowed\":false") != std::string::npos);
        BOOST_TEST(refusal.body.find("spec: Invalid value: is nested "
                                     + std::to_string(levels + 1)
                                     + " levels deep, the limit is 100")
                       != std::string::npos,
                   refusal.body.substr(0, 300));
        // An update that leaves it as it was has the other rules only.
        BOOST_TEST(answer_to(path, updated).body.find("levels deep")
                   == std::string::npos);
      }
}

BOOST_AUTO_TEST_CASE(a_job_of_too_many_values_is_denied_for_every_kind) {
  const auto list = zeros(300'000);
  const auto dense = "{\"x\":" + list + "}";
  for (const auto& f : frameworks::all())
    BOOST_TEST_CONTEXT(f.names.type.kind) {
      auto path = actors::validating_webhook_path(f);
      auto refusal = [&](const std::string& meta, const std::string& spec,
                         const std::string& old_spec) {
        return refusal_by(path, dense_review(f, meta, spec, old_spec));
      };
      const std::string sentence =
          "spec: Too many: has 300002 values, the limit is 100000; put data "
          "into a ConfigMap, or into the image";
      BOOST_TEST(refusal("", dense, "") == sentence);
      BOOST_TEST(refusal("", dense, "{}") == sentence);
      BOOST_TEST(refusal("", "{\"a\":" + list + ",\"b\":" + list + "}", "")
                     .find("spec: Too many: has 600003 values")
                 == 0u);
      // The removal of a finalizer, a suspension, a smaller one.
      BOOST_TEST(refusal("", dense, dense) == "");
      BOOST_TEST(
          refusal("", "{\"runPolicy\":{\"suspend\":true},\"x\":" + list + "}",
                  dense)
          == "");
      BOOST_TEST(refusal("", "{\"x\":" + zeros(200'000) + "}", dense) == "");
    }
}

BOOST_AUTO_TEST_CASE(what_is_not_reviewed_may_have_any_number_of_values) {
  const auto list = zeros(400'000);
  for (const char* kind : {"TFJob", "MPIJob"}) {
    auto job = job_of(kind);
    const auto& f = *frameworks::find(kind);
    auto path = actors::validating_webhook_path(f);
    for (const char* field : {"managedFields", "x"})
      BOOST_TEST(
          refusal_by(path,
                     dense_review(f, ",\"" + std::string{field} + "\":" + list,
                                  job["spec"].dump(), ""))
          == "");
    auto bad = dense_review(f, ",\"x\":" + list, "{}", "");
    BOOST_TEST(refusal_by(path, bad).find("Required value")
               != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_dijob_of_too_many_values_gets_no_defaults) {
  const auto& f = *frameworks::find("DIJob");
  auto answer = [&](const std::string& spec) {
    return response_to(f.admission.mutating.path,
                       dense_review(f, "", spec, ""));
  };
  BOOST_TEST(answer("{\"x\":[1,2]}")["patch"].is_string());
  BOOST_TEST(answer("{\"x\":" + zeros(400'000) + "}")["allowed"] == true);
}

BOOST_AUTO_TEST_SUITE_END()
