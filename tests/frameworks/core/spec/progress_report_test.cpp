#include "frameworks/core/spec/progress_report.hpp"
#include "frameworks/core/spec/validation.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::core;
using troupe::fixtures::base_time;

BOOST_AUTO_TEST_SUITE(progress_report_test)

namespace {

json whole_report() {
  return json::parse(R"({"trainerStatus": {
    "progressPercentage": 45, "estimatedRemainingSeconds": 795649,
    "metrics": [{"name": "loss", "value": "0.2347"},
                {"name": "epoch", "value": "2"}],
    "lastUpdatedTime": "2025-01-23T10:30:45Z"}})");
}

} // namespace

BOOST_AUTO_TEST_CASE(a_report_is_taken_and_answered_as_it_came) {
  auto read = read_progress_report(whole_report().dump());
  BOOST_TEST(read.errors.empty());
  BOOST_TEST(read.progress.percent.value() == 45);
  BOOST_TEST(read.progress.remaining_seconds.value() == 795'649);
  BOOST_TEST(read.progress.metrics.size() == 2);
  BOOST_TEST(read.progress.metrics[0].name == "loss");
  BOOST_TEST(read.progress.metrics[0].value == "0.2347");
  read.progress.time = base_time;
  auto taken = whole_report();
  taken["trainerStatus"]["lastUpdatedTime"] = "2026-02-02T02:40:00Z";
  BOOST_TEST(json::parse(taken_report_json(read.progress)) == taken);
}

BOOST_AUTO_TEST_CASE(every_field_may_be_absent_and_others_are_ignored) {
  for (
      const char* text :
      {R"({"trainerStatus": {}})",
       R"({"trainerStatus": {"lastUpdatedTime": "2025-01-23T10:30:45Z"}})",
       R"({"trainerStatus": {"speed": 3}, "initializerStatus": {}})",
       R"({"trainerStatus": {"metrics": null, "progressPercentage": null}})"}) {
    auto read = read_progress_report(text);
    BOOST_TEST(read.errors.empty(), text);
    BOOST_TEST((read.progress == progress_status{}), text);
  }
}

BOOST_AUTO_TEST_CASE(each_wrong_field_is_named) {
  struct row {
    const char* pointer;
    const char* value;
    const char* error;
  } rows[] = {
      {"/trainerStatus", "3",
       "trainerStatus: Invalid value: 3: must be an object"},
      {"/trainerStatus/progressPercentage", "101",
       "trainerStatus.progressPercentage: Invalid value: 101: must be a whole "
       "number from 0 to 100"},
      {"/trainerStatus/progressPercentage", "-1",
       "trainerStatus.progressPercentage: Invalid value: -1: must be a whole "
       "number from 0 to 100"},
      {"/trainerStatus/progressPercentage", "\"45\"",
       "trainerStatus.progressPercentage: Invalid value: \"45\": must be a "
       "whole number from 0 to 100"},
      {"/trainerStatus/estimatedRemainingSeconds", "1e30",
       "trainerStatus.estimatedRemainingSeconds: Invalid value: 1e+30: must be "
       "a whole number from 0 to 2147483647"},
      {"/trainerStatus/metrics", "{}",
       "trainerStatus.metrics: Invalid value: {...}: must be a list"},
      {"/trainerStatus/metrics/1/value", "0.2",
       "trainerStatus.metrics[1].value: Invalid value: 0.2: must be a text, in "
       "quotes"},
      {"/trainerStatus/metrics/0/name", "\"\"",
       "trainerStatus.metrics[0].name: Invalid value: \"\": must have 1 to 128 "
       "bytes"},
      {"/trainerStatus/metrics/0/name", "\"a\\u0007\"",
       "trainerStatus.metrics[0].name: Invalid value: must not have control "
       "characters"},
      {"/trainerStatus/metrics/0/name", "null",
       "trainerStatus.metrics[0].name: Required value"},
      {"/trainerStatus/lastUpdatedTime", "\"yesterday\"",
       "trainerStatus.lastUpdatedTime: Invalid value: \"yesterday\": must be a "
       "time such as 2025-01-23T10:30:45Z"},
  };
  for (const auto& r : rows) {
    auto report = whole_report();
    report[json::json_pointer(r.pointer)] = json::parse(r.value);
    BOOST_TEST(to_string(read_progress_report(report.dump()).errors)
               == r.error);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_report_is_told) {
  for (const char* text : {"", "{", "<html>", "nan", "\"x\"", "[]", "{}", "3",
                           "{\"trainerStatus\": \"\xff\"}"})
    BOOST_TEST(!read_progress_report(text).errors.empty(), text);
  std::string deep(60'000, '[');
  BOOST_TEST(!read_progress_report(deep).errors.empty());
  BOOST_TEST(!read_progress_report(std::string(max_report_bytes + 1, ' '))
                  .errors.empty());
}

BOOST_AUTO_TEST_CASE(of_many_metrics_the_first_are_kept) {
  auto report = whole_report();
  auto& metrics = report["trainerStatus"]["metrics"] = json::array();
  auto add_up_to = [&](std::size_t count) {
    while (metrics.size() < count)
      metrics.push_back(
          {{"name", "m" + std::to_string(metrics.size())}, {"value", "1"}});
  };
  add_up_to(max_reported_metrics);
  auto read = read_progress_report(report.dump());
  BOOST_TEST(read.errors.empty());
  BOOST_TEST(read.progress.metrics.size() == max_progress_metrics);
  BOOST_TEST(read.progress.metrics.back().name == "m15");
  add_up_to(max_reported_metrics + 1);
  BOOST_TEST(to_string(read_progress_report(report.dump()).errors)
             == "trainerStatus.metrics: Too many: 257: must have at most 256 "
                "items");
}

BOOST_AUTO_TEST_SUITE_END()
