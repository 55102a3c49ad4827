#include "k8s/apiserver/base/status_error.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(status_error_test)

BOOST_AUTO_TEST_CASE(errors_are_worded_as_by_api_servers) {
  struct row {
    status_error error;
    int code;
    const char* reason;
    const char* message;
  };
  // clang-format off
  const row rows[] = {
      {not_found("", "pods", "a"), 404, "NotFound", "pods \"a\" not found"},
      {not_found("x.io", "jobs", "a"), 404, "NotFound", "jobs.x.io \"a\" not found"},
      {already_exists("", "pods", "a"), 409, "AlreadyExists", "pods \"a\" already exists"},
      {conflict("x.io", "jobs", "a", "why"), 409, "Conflict", "Operation cannot be fulfilled on jobs.x.io \"a\": why"},
      {forbidden("", "pods", "a", "why"), 403, "Forbidden", "pods \"a\" is forbidden: why"},
      {invalid("x.io", "Job", "a", {required_value("spec")}), 422, "Invalid", "Job.x.io \"a\" is invalid: spec: Required value"},
      {invalid("", "Pod", "a", {required_value("x"), forbidden_value("y", "no")}), 422, "Invalid", "Pod \"a\" is invalid: [x: Required value, y: Forbidden: no]"},
  };
  // clang-format on
  for (const auto& r : rows) {
    BOOST_TEST(r.error.code == r.code);
    BOOST_TEST(r.error.reason == r.reason);
    BOOST_TEST(r.error.message == r.message);
  }
}

BOOST_AUTO_TEST_CASE(field_errors_are_worded_as_by_api_servers) {
  struct row {
    field_error error;
    const char* reason;
    const char* message;
  };
  // clang-format off
  const row rows[] = {
      {required_value("f"), "FieldValueRequired", "Required value"},
      {required_value("f", "why"), "FieldValueRequired", "Required value: why"},
      {invalid_value("f", "x", "why"), "FieldValueInvalid", "Invalid value: \"x\": why"},
      {invalid_value("f", 1, "why"), "FieldValueInvalid", "Invalid value: 1: why"},
      {duplicate_value("f", {{"n", 1}}), "FieldValueDuplicate", "Duplicate value: {\"n\":1}"},
      {unsupported_value("f", "x", {"A", "B"}), "FieldValueNotSupported", "Unsupported value: \"x\": supported values: \"A\", \"B\""},
  };
  // clang-format on
  for (const auto& r : rows) {
    BOOST_TEST(r.error.field == "f");
    BOOST_TEST(r.error.reason == r.reason);
    BOOST_TEST(r.error.message == r.message);
  }
}

BOOST_AUTO_TEST_CASE(the_response_is_a_status_with_details) {
  auto response =
      invalid("x.io", "Job", "a", {required_value("spec.size")}).to_response();
  BOOST_TEST(response.status == 422);
  auto status = json::parse(response.body);
  BOOST_TEST(status["kind"] == "Status");
  BOOST_TEST(status["status"] == "Failure");
  BOOST_TEST(status["code"] == 422);
  auto expected = json::parse(R"({"group":"x.io","kind":"Job","name":"a",
    "causes":[{"reason":"FieldValueRequired","message":"Required value",
               "field":"spec.size"}]})");
  BOOST_TEST(status["details"] == expected);
  status = json::parse(bad_request("why").to_response().body);
  BOOST_TEST(!status.contains("details"));
}

BOOST_AUTO_TEST_SUITE_END()
