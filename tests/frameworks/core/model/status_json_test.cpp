#include "frameworks/core/model/names.hpp"
#include "frameworks/core/model/status.hpp"
#include "frameworks/core/model/status_format.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::core;
using namespace std::chrono_literals;
using troupe::fixtures::json;

BOOST_AUTO_TEST_SUITE(status_json_test)

namespace {

const auto t0 = troupe::fixtures::base_time;

} // namespace

BOOST_AUTO_TEST_CASE(what_is_written_can_be_read_back) {
  job_status s;
  s.set_condition("Created", true, "TFJobCreated", "TFJob \"x\" is created.",
                  t0);
  s.set_condition("Running", false, "R", "", t0 + 1s);
  s.replicas["PS"] = {};
  s.replicas["Worker"] = {1, 2, 3, "a=b"};
  s.start_time = t0;
  s.completion_time = t0 + 7s;
  s.restarts = {{"job-worker-0", "uid", 4}};
  BOOST_TEST((decode_status(encode_status(s)) == s));

  auto j = json::parse(encode_status(s));
  BOOST_TEST((j["replicaStatuses"]["PS"].dump() == "{}"));
  BOOST_TEST((j["replicaStatuses"]["Worker"]["succeeded"] == 2));
  BOOST_TEST((j["conditions"][1]["status"] == "False"));
  BOOST_TEST((j["startTime"] == k8s::to_rfc3339(t0)));
  BOOST_TEST((j["restarts"][0]["count"] == 4));
}

BOOST_AUTO_TEST_CASE(nothing_is_written_for_nothing) {
  BOOST_TEST(encode_status({}) == "{}");
}

BOOST_AUTO_TEST_CASE(anything_can_be_read) {
  for (const char* text :
       {"", "null", "[]", "7", "{", R"({"conditions":7,"replicaStatuses":[]})",
        R"({"conditions":[7,null,{"type":9}],"startTime":"soon"})",
        R"({"replicaStatuses":{"Worker":7,"PS":{"active":"x"}}})",
        R"({"restarts":[{}],"completionTime":null})"})
    BOOST_CHECK_NO_THROW(decode_status(text));
}

BOOST_AUTO_TEST_CASE(restarts_are_read_from_the_status_else_the_annotation) {
  struct row {
    const char* status;
    const char* annotation; ///< "": none.
    const char* uids;
  };
  // clang-format off
  const row rows[] = {
      {R"({"restarts":[{"uid":"a","count":2}]})", "", "a:2 "},
      {R"({"restarts":[{"uid":"a"}]})", R"([{"uid":"b","count":3}])", "a:1 "},
      {"{}", R"([{"uid":"b","count":3}])", "b:3 "},
      {"null", R"([{"uid":"b","count":3}])", "b:3 "},
      {"{}", "not JSON", ""},
      {"{}", R"({"uid":"b"})", ""},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto job = fixtures::make_job().workers(1).object();
    std::get<k8s::spec_and_status_state>(job.state).status = r.status;
    if (*r.annotation)
      job.meta.annotations[label::restarts] = r.annotation;
    std::string uids;
    for (const auto& one : decode_job_status(job).restarts)
      uids += one.uid + ":" + std::to_string(one.count) + " ";
    BOOST_TEST(uids == r.uids, r.status << r.annotation);
  }
}

namespace {

job_status status_of(std::string text) {
  k8s::object o;
  o.state = k8s::spec_and_status_state{"{}", std::move(text)};
  return decode_job_status(o);
}

std::string repeated(const char* item, std::size_t count) {
  std::string text = item;
  for (std::size_t i = 1; i < count; ++i)
    text.append(",").append(item);
  return text;
}

} // namespace

BOOST_AUTO_TEST_CASE(of_a_status_that_somebody_wrote_a_bounded_part_is_read) {
  const auto zeros = repeated("0", max_status_values);
  auto s = status_of("{\"x\":[" + zeros
                     + "],\"startTime\":\"2026-01-31T12:00:00Z\",\"y\":{\"z\":["
                     + zeros + "]},\"restarts\":[{\"pod\":\"a\"}]}");
  BOOST_TEST(s.start_time.has_value());
  BOOST_TEST(s.restarts.size() == 1u);
  s = status_of("{\"conditions\":[" + repeated("{}", max_status_values) + "]}");
  BOOST_TEST(s.conditions.empty());
  s = status_of("{\"conditions\":[" + repeated("{}", 20'000)
                + "],\"restarts\":[" + repeated("{}", 20'000) + "]}");
  BOOST_TEST(s.conditions.size() == max_conditions);
  BOOST_TEST(s.restarts.size() == max_restart_records);
  std::string types = "\"a\":{}";
  for (int i = 0; i < 5'000; ++i)
    types += ",\"" + std::to_string(i) + "\":{}";
  s = status_of("{\"replicaStatuses\":{" + types + "}}");
  BOOST_TEST(s.replicas.size() == max_status_types);
}

BOOST_AUTO_TEST_SUITE_END()
