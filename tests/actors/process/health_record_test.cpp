#include "actors/process/health_record.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using nlohmann::json;
using troupe::actors::health_record;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(health_record_test)

namespace {

json report_of(json children) {
  return {{"actor", "root"}, {"children", std::move(children)}};
}

json silent(const char* name, int id) {
  return {{"actor", "silent"}, {"name", name}, {"id", id}};
}

json probe(const char* state, json since_outage) {
  return {{"actor", "server-probe"},
          {"state", state},
          {"secondsSinceOutage", std::move(since_outage)}};
}

json watcher(json unwatched, bool needed = true) {
  return {{"actor", "watcher"},
          {"resource", "pods"},
          {"neededToBeReady", needed},
          {"lastFailure", "no route"},
          {"secondsUnwatched", std::move(unwatched)}};
}

} // namespace

BOOST_AUTO_TEST_CASE(an_actor_that_does_not_answer_for_long_is_stuck) {
  health_record::time_point now{1h};
  health_record r{now};
  auto all_well = report_of({{{"actor", "gateway"}}, {{"actor", "directory"}}});
  auto problem_after = [&](const json& report, std::chrono::seconds time) {
    for (auto end = now + time; now < end;) {
      now += 10s;
      r.on_report(report, now);
    }
    return r.liveness_problem(now);
  };
  BOOST_TEST(problem_after(all_well, 1000s) == "");
  auto one = report_of({silent("directory", 7), {{"actor", "gateway"}}});
  BOOST_TEST(problem_after(one, 90s) == "");
  BOOST_TEST(problem_after(one, 10s)
             == "the directory has not answered for 90 s");
  BOOST_TEST(problem_after(all_well, 10s) == "");
  // Busy ones do not answer now and then.
  for (int i = 0; i < 20; ++i)
    BOOST_TEST(problem_after(report_of({silent("directory", i)}), 10s) == "");
  BOOST_TEST(problem_after(nullptr, 90s) == "");
  BOOST_TEST(problem_after(nullptr, 10s)
             == "the root has not answered for 90 s");
  // It has answered, so it is its children that count.
  BOOST_TEST(problem_after(one, 10s) == "");
  // Nobody asks any more.
  BOOST_TEST(r.liveness_problem(now + 89s) == "");
  BOOST_TEST(r.liveness_problem(now + 90s) == "no actor has run for 90 s");
}

BOOST_AUTO_TEST_CASE(a_watch_that_is_missing_while_the_server_answers) {
  const std::string missing = "the API server answers, but has accepted no "
                              "watch of pods for 60 s: no route";
  const struct {
    const char* what;
    json report;
    bool is_problem;
  } rows[] = {
      {"watched", report_of({probe("idle", nullptr), watcher(nullptr)}), false},
      {"missing", report_of({probe("idle", nullptr), watcher(60)}), true},
      {"not long", report_of({probe("idle", nullptr), watcher(59)}), false},
      {"one of two",
       report_of({watcher(nullptr), watcher(60), probe("idle", nullptr)}),
       true},
      {"suspected", report_of({probe("asking", 60), watcher(60)}), true},
      {"away", report_of({probe("away", 3600), watcher(60)}), false},
      {"just back", report_of({probe("idle", 59), watcher(60)}), false},
      {"back for long", report_of({probe("idle", 60), watcher(60)}), true},
      {"not needed", report_of({probe("idle", nullptr), watcher(60, false)}),
       false},
      {"restarting", report_of(json::array()), false},
  };
  for (const auto& row : rows) {
    health_record r{{}};
    r.on_report(row.report, {});
    BOOST_TEST(r.readiness_problem() == (row.is_problem ? missing : ""),
               row.what);
    // A root that does not answer says nothing new.
    r.on_report(nullptr, {});
    BOOST_TEST(r.readiness_problem().empty() == !row.is_problem);
    r.on_report(report_of(json::array()), {});
    BOOST_TEST(r.readiness_problem() == "");
  }
}

BOOST_AUTO_TEST_SUITE_END()
