#include "actors/cli/admin_text.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::cli;
using nlohmann::json;

namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& l : lines)
    text += l + "\n";
  return text;
}

} // namespace

BOOST_AUTO_TEST_SUITE(admin_text)

BOOST_AUTO_TEST_CASE(a_report_is_explained) {
  json report{{"kind", "TFJob"},
              {"namespace", "default"},
              {"name", "mnist"},
              {"verdict", "waits for worker-3"},
              {"replicas", {{"PS", 1}, {"Worker", 4}}},
              {"status",
               {{"conditions",
                 {{{"type", "Created"},
                   {"status", "True"},
                   {"reason", "TFJobCreated"},
                   {"message", "made"}}}}}},
              {"pods",
               {{{"name", "mnist-worker-0"},
                 {"phase", "Failed"},
                 {"exitCode", 3},
                 {"restarts", 2},
                 {"trouble", "Error: x"}}}},
              {"expectations",
               {{{"what", "pod"},
                 {"action", "create"},
                 {"subject", "worker-3"},
                 {"ageSeconds", 4.25},
                 {"attempts", 2}}}},
              {"timers", {{{"what", "next look"}, {"inSeconds", 3.0}}}},
              {"lastDecisions",
               {{{"at", "2026-01-31T12:00:00Z"}, {"what", "create worker-3"}}}},
              {"passes", 7}};
  BOOST_TEST(joined(explain_lines(report))
             == "TFJob default/mnist\n"
                "Verdict: waits for worker-3\n"
                "Replicas wanted: PS 1, Worker 4\n"
                "Conditions, the last one is the newest:\n"
                "  Created    True  TFJobCreated: made\n"
                "Pods:\n"
                "  mnist-worker-0  Failed, exit code 3, restarts 2 (Error: "
                "x)\n"
                "Waits for what was asked for:\n"
                "  create pod worker-3, asked for 4.2 s ago, attempts 2\n"
                "Timers:\n"
                "  inSeconds 3.0, what next look\n"
                "Last decisions:\n"
                "  2026-01-31T12:00:00Z  create worker-3\n"
                "Besides: passes 7\n");
}

BOOST_AUTO_TEST_CASE(a_report_of_nothing_is_still_an_answer) {
  auto text = joined(explain_lines(json::object()));
  BOOST_TEST(text.find("Verdict: none yet") != std::string::npos);
  BOOST_TEST(text.find("Pods: none") != std::string::npos);
  for (const auto& odd : {json(nullptr), json(5), json::array({1}),
                          json{{"pods", {1, nullptr}},
                               {"expectations", {"x"}},
                               {"status", 5},
                               {"replicas", 5}}})
    BOOST_TEST(!explain_lines(odd).empty());
}

BOOST_AUTO_TEST_CASE(actors_stand_below_their_parent) {
  json tree{{"actor", "root"},
            {"ready", true},
            {"children",
             {{{"actor", "directory"},
               {"children", {{{"actor", "job"}, {"pods", 3}}}}},
              {{"actor", "gateway"}}}}};
  BOOST_TEST(joined(top_lines(tree))
             == "root  ready true\n"
                "  directory\n"
                "    job  pods 3\n"
                "  gateway\n");
}

BOOST_AUTO_TEST_SUITE_END()
