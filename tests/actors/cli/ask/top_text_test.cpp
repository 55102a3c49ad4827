#include "actors/admin/text/terminal_text.hpp"
#include "actors/cli/ask/admin_text.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::cli;
using nlohmann::json;

BOOST_AUTO_TEST_SUITE(top_text_test)

namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& l : lines)
    text += l + "\n";
  return text;
}

json job(const char* name, bool finished, const char* summary) {
  return {{"actor", "job-supervisor"},
          {"kind", "TFJob"},
          {"namespace", "default"},
          {"name", name},
          {"created", "2026-01-31T11:00:00Z"},
          {"replicas", 4},
          {"running", finished ? 0 : 2},
          {"finished", finished},
          {"summary", summary}};
}

json watch(const char* resource, const char* state) {
  return {{"actor", "watcher"}, {"resource", resource}, {"apiVersion", "v1"},
          {"namespace", ""},    {"state", state},       {"failuresInARow", 0},
          {"lastFailure", ""}};
}

} // namespace

BOOST_AUTO_TEST_CASE(jobs_and_watches_are_tables) {
  auto failing = watch("tfjobs", "resting");
  failing["failuresInARow"] = 3;
  failing["lastFailure"] = "connection refused";
  auto pods = watch("pods", "watching");
  pods["labelSelector"] = "a=b";
  json tree{
      {"actor", "root"},
      {"at", "2026-01-31T12:10:00Z"},
      {"ready", true},
      {"children",
       {watch("services", "watching"),
        pods,
        failing,
        {{"actor", "gateway"}, {"window", 64}, {"underWay", 2}},
        {{"actor", "event-recorder"}, {"waiting", 1}},
        {{"actor", "directory"},
         {"children",
          {job("over", true, "has succeeded"),
           job("mnist", false, "2 of 4 replicas run; one is not there")}}}}}};
  BOOST_TEST(joined(top_lines(tree, 0))
             == "Operator: ready; 2 jobs, 1 not finished\n"
                "Calls: 2 under way, at most 64; 0 waiting\n"
                "Events: 1 waiting, 0 given up\n"
                "\n"
                "JOB            KIND   REPLICAS  AGE  SUMMARY\n"
                "default/mnist  TFJob  2/4       70m  2 of 4 replicas run; "
                "one is not there\n"
                "default/over   TFJob  0/4       70m  has succeeded\n"
                "\n"
                "WATCH     APIVERSION  NAMESPACE  STATE     TROUBLE     "
                "                        SELECTOR\n"
                "tfjobs    v1          all        resting   failed 3 tim"
                "es: connection refused\n"
                "pods      v1          all        watching              "
                "                        a=b\n"
                "services  v1          all        watching\n");
  for (const auto& line : top_lines(tree, 60))
    BOOST_TEST(line.size() <= 60u);
}

BOOST_AUTO_TEST_CASE(jobs_that_report_have_a_bar) {
  auto reports = job("curve", false, "2 of 4 replicas run");
  reports["percent"] = 45;
  json tree{{"actor", "root"},
            {"at", "2026-01-31T12:10:00Z"},
            {"children", {reports, job("mnist", false, "waits")}}};
  auto text = joined(top_lines(tree, 0));
  BOOST_TEST(
      text.substr(text.find("JOB"))
      == "JOB            KIND   REPLICAS  AGE  PROGRESS         SUMMARY\n"
         "default/curve  TFJob  2/4       70m  ████░░░░░░  45%  2 of 4 "
         "replicas run\n"
         "default/mnist  TFJob  2/4       70m                   waits\n");
}

BOOST_AUTO_TEST_CASE(in_80_columns_nothing_is_cut_without_a_mark) {
  auto held =
      job("a-name-of-a-training-job-that-somebody-has-made-by-a-script", false,
          "number 3 in queue team-a of Kueue: insufficient unused quota");
  auto runs =
      job("short", false, "4 of 4 replicas run (attempt 2 after OOMKilled)");
  runs["percent"] = 100;
  auto leaves =
      job("next", false,
          "2 pods still hold quota; Kueue has evicted it (Preempted)");
  auto done = job("done", true, "has succeeded");
  json tree{{"actor", "root"},
            {"at", "2026-01-31T12:10:00Z"},
            {"children", {held, runs, leaves, done}}};
  auto text = joined(top_lines(tree, 80));
  BOOST_TEST(
      text.substr(text.find("JOB"))
      == "JOB                            KIND   RUN  AGE  DONE  SUMMARY\n"
         "default/a-nam...e-by-a-script  TFJob  2/4  70m        number 3 in "
         "queue team-...\n"
         "default/next                   TFJob  2/4  70m        2 pods still "
         "hold quota...\n"
         "default/short                  TFJob  2/4  70m  100%  4 of 4 "
         "replicas run (at...\n"
         "default/done                   TFJob  0/4  70m        has "
         "succeeded\n");
  for (std::size_t width : {1u, 20u, 40u, 80u, 100u, 200u})
    for (const auto& line : top_lines(tree, width))
      BOOST_TEST(troupe::actors::column_count(line) <= width, line);
}

BOOST_AUTO_TEST_CASE(ten_thousand_jobs_are_as_many_lines) {
  auto jobs = json::array();
  for (int i = 0; i < 10'000; ++i)
    jobs.push_back(job(("job-" + std::to_string(i)).c_str(), i % 2 == 0, "x"));
  json tree{{"actor", "root"}, {"at", "2026-01-31T12:10:00Z"}};
  tree["children"] = std::move(jobs);
  auto lines = top_lines(tree, 80);
  BOOST_TEST(lines.size() == 10'005u);
  BOOST_TEST(lines[0]
             == "Operator: not ready, waits for its watches; 10000 jobs, 5000 "
                "not finished");
}

BOOST_AUTO_TEST_CASE(
    the_first_lines_say_what_keeps_the_operator_from_its_work) {
  struct row {
    json tree;
    const char* line;
  };
  const row rows[] = {
      {{{"ready", false}},
       "Operator: not ready, waits for its watches; 0 jobs, 0 not finished"},
      {{{"ready", true}, {"stopping", true}},
       "Operator: stopping; 0 jobs, 0 not finished"},
      {{{"restarts", 2}}, "Actors died and were started again 2 times."},
      {{{"children", {{{"actor", "silent"}}}}},
       "1 actor did not answer in time."},
      {{{"children", {{{"actor", "gateway"}, {"paused", true}}}}},
       "Calls: 0 under way, at most 0; 0 waiting; paused, the server is "
       "overloaded"},
  };
  for (const auto& r : rows) {
    auto text = joined(top_lines(r.tree, 0));
    BOOST_TEST(text.find(std::string{r.line} + "\n") != std::string::npos,
               text);
  }
}

BOOST_AUTO_TEST_CASE(a_tree_of_nothing_is_still_an_answer) {
  for (const auto& odd :
       {json(nullptr), json(5), json::array({1}), json::object(),
        json{{"children", {1, nullptr, {{"actor", "watcher"}}}}},
        json{{"children", {{{"actor", "job-supervisor"}, {"created", 5}}}}}})
    BOOST_TEST(!top_lines(odd, 80).empty());
}

BOOST_AUTO_TEST_SUITE_END()
