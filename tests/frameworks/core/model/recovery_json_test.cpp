#include "frameworks/core/model/recovery_json.hpp"
#include "frameworks/core/model/status.hpp"
#include "frameworks/core/model/status_format.hpp"
#include "tests/fixtures/builders.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::core;
using namespace std::chrono_literals;
using troupe::fixtures::base_time;

BOOST_AUTO_TEST_SUITE(recovery_json_test)

namespace {

index_ranges indices(const char* text) {
  return index_ranges::parse(text).value();
}

recovery_status restarted_three_times() {
  recovery_status r;
  r.attempt = 3;
  r.type_attempts = {{"PS", 2}};
  r.last.time = base_time;
  r.last.reason = "OOMKilled";
  r.last.pod = "job-worker-1";
  r.last.node = "n7";
  r.last.type = "Worker";
  r.last.early_ends = 2;
  r.last.recovered = base_time + 40s;
  r.counted = 2;
  r.counted_times = {base_time - 60s, base_time};
  r.completed = {{"Worker", indices("0-3,7")}};
  return r;
}

job_status status_with(recovery_status r) {
  job_status s;
  s.replicas = {{"PS", {}}, {"Worker", {1, 5, 0, ""}}};
  s.recovery = std::move(r);
  return s;
}

json json_of(const job_status& s) {
  return json::parse(encode_status(s));
}

} // namespace

BOOST_AUTO_TEST_CASE(what_is_written_can_be_read_back) {
  const auto s = status_with(restarted_three_times());
  BOOST_TEST(json_of(s) == json::parse(R"({
    "restartAttempt": 3,
    "lastRestart": {"attempt": 3, "time": "2026-02-02T02:40:00Z",
      "reason": "OOMKilled", "pod": "job-worker-1", "node": "n7",
      "type": "Worker", "earlyEnds": 2,
      "recoveryTime": "2026-02-02T02:40:40Z"},
    "countedRestarts": 2,
    "restartTimes": ["2026-02-02T02:39:00Z", "2026-02-02T02:40:00Z"],
    "replicaStatuses": {
      "PS": {"restartAttempt": 2},
      "Worker": {"active": 1, "succeeded": 5, "completedIndexes": "0-3,7"}}})"));
  BOOST_TEST((decode_status(encode_status(s)) == s));
}

BOOST_AUTO_TEST_CASE(each_field_is_written_only_if_it_says_something) {
  struct row {
    const char* description;
    void (*change)(recovery_status& r);
    const char* expected; ///< Of the status without its replicas.
    const char* workers = R"({"active":1,"succeeded":5})";
  } rows[] = {
      {"nothing", [](auto&) {}, "{}"},
      {"a restart",
       [](auto& r) {
         r.attempt = 1;
         r.last.time = base_time;
       },
       R"({"lastRestart":{"attempt":1,"time":"2026-02-02T02:40:00Z"},)"
       R"("restartAttempt":1})"},
      {"what is meaningless at first",
       [](auto& r) { r.last.pod = "job-worker-1"; }, "{}"},
      {"the usual attempt",
       [](auto& r) {
         r.type_attempts = {{"Worker", 0}};
       },
       "{}"},
      {"nothing is done", [](auto& r) { r.completed["Worker"]; }, "{}"},
      {"one is done", [](auto& r) { r.completed["Worker"].insert(4); }, "{}",
       R"({"active":1,"completedIndexes":"4","succeeded":5})"},
  };
  for (const auto& r : rows) {
    recovery_status recovery;
    r.change(recovery);
    const auto s = status_with(recovery);
    auto written = json_of(s);
    BOOST_TEST_CONTEXT(r.description) {
      BOOST_TEST(written["replicaStatuses"]["Worker"].dump() == r.workers);
      BOOST_TEST(written["replicaStatuses"]["PS"].dump() == "{}");
      written.erase("replicaStatuses");
      BOOST_TEST(written.dump() == r.expected);
      // It is not written a second time.
      BOOST_TEST((decode_status(encode_status(s)) == s));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_finished_job_does_not_say_which_replicas_are_done) {
  for (const char* condition : {"Succeeded", "Failed"}) {
    auto s = status_with(restarted_three_times());
    s.set_condition(condition, true, "R", "m", base_time);
    auto written = json_of(s);
    BOOST_TEST(written["restartAttempt"] == 3);
    BOOST_TEST(
        !written["replicaStatuses"]["Worker"].contains("completedIndexes"));
    BOOST_TEST((decode_status(encode_status(s)) == s));
  }
}

BOOST_AUTO_TEST_CASE(fractions_of_a_second_are_no_difference) {
  auto written = restarted_three_times();
  written.last.time += 300ms;
  *written.last.recovered += 300ms;
  for (auto& t : written.counted_times)
    t += 300ms;
  BOOST_TEST((written == restarted_three_times()));
  written.last.time += 1s;
  BOOST_TEST(!same_attempts(written, restarted_three_times()));
}

BOOST_AUTO_TEST_CASE(anything_can_be_read) {
  struct row {
    const char* text;
    std::int32_t attempt;
    std::size_t times;
    const char* workers; ///< Those that are done.
  } rows[] = {
      {R"({"restartAttempt":"3","lastRestart":[],"restartTimes":{}})", 0, 0,
       ""},
      {R"({"restartAttempt":-1,"countedRestarts":-1})", 0, 0, ""},
      {R"({"restartAttempt":99999999999,"countedRestarts":99999999999})",
       1'000'000'000, 0, ""},
      {R"({"restartAttempt":2,"lastRestart":{"time":7,"reason":[],"pod":{},
          "earlyEnds":-7,"recoveryTime":"soon"}})",
       2, 0, ""},
      {R"({"restartTimes":["2026-02-02T02:40:00Z","soon",7,null]})", 0, 1, ""},
      {R"({"replicaStatuses":[]})", 0, 0, ""},
      {R"({"replicaStatuses":{"Worker":7,"PS":null}})", 0, 0, ""},
      {R"({"replicaStatuses":{"Worker":{"completedIndexes":"3-1"}}})", 0, 0,
       ""},
      {R"({"replicaStatuses":{"Worker":{"completedIndexes":[0]}}})", 0, 0, ""},
      {R"({"replicaStatuses":{"Worker":{"completedIndexes":"0-1,4"}}})", 0, 0,
       "0-1,4"},
      // No type is ahead of its job.
      {R"({"restartAttempt":2,"replicaStatuses":{"Worker":
          {"restartAttempt":7}}})",
       2, 0, ""},
      {R"({"restartAttempt":2,"replicaStatuses":{"Worker":
          {"restartAttempt":-7}}})",
       2, 0, ""},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.text) {
      const auto s = decode_status(r.text);
      const auto& read = *s.recovery;
      BOOST_TEST(read.attempt == r.attempt);
      BOOST_TEST(read.counted >= 0);
      BOOST_TEST(read.last.early_ends == 0);
      BOOST_TEST(!read.last.recovered);
      BOOST_TEST(read.counted_times.size() == r.times);
      BOOST_TEST(read.completed_of("Worker").text() == r.workers);
      BOOST_TEST(read.attempt_of("Worker") <= r.attempt);
      BOOST_TEST(read.attempt_of("Worker") >= 0);
    }
}

BOOST_AUTO_TEST_CASE(what_is_read_is_bounded) {
  json status{{"restartAttempt", 2}};
  for (int i = 0; i < 2'000; ++i)
    status["restartTimes"].push_back("2026-02-02T02:40:00Z");
  for (int i = 0; i < 2'000; ++i)
    status["replicaStatuses"]["T" + std::to_string(i)] = {
        {"completedIndexes", "0"}, {"restartAttempt", 1}};
  status["lastRestart"] = {{"reason", std::string(5'000, 'x')}};
  auto r = *decode_status(status.dump()).recovery;
  BOOST_TEST(r.counted_times.size() == 1'000u);
  BOOST_TEST(r.completed.size() == max_status_types);
  BOOST_TEST(r.type_attempts.size() == max_status_types);
  BOOST_TEST(r.last.reason.size() == 4'096u);
  const auto long_text = std::string(64 * 1024, '0') + "1";
  json other{{"replicaStatuses", {{"W", {{"completedIndexes", long_text}}}}}};
  BOOST_TEST(decode_status(other.dump()).recovery->completed.empty());
}

BOOST_AUTO_TEST_CASE(of_too_many_gaps_the_first_are_written) {
  struct row {
    std::int32_t first;
    int count;
  } rows[] = {{0, 12'000}, {1'000'000'000, 9'000}};
  for (const auto& r : rows) {
    recovery_status recovery;
    for (int i = 0; i < r.count; ++i)
      recovery.completed["Worker"].insert(r.first + 2 * i);
    auto s = status_with(recovery);
    auto read =
        decode_status(encode_status(s)).recovery->completed_of("Worker");
    BOOST_TEST(read.contains(r.first));
    BOOST_TEST(read.contains(r.first + 2 * 5'000));
    BOOST_TEST(!read.contains(r.first + 2 * (r.count - 1)));
    BOOST_TEST(json_of(s)["replicaStatuses"]["Worker"]["completedIndexes"]
                   .get<std::string>()
                   .size()
               <= 64u * 1024);
  }
}

BOOST_AUTO_TEST_SUITE_END()
