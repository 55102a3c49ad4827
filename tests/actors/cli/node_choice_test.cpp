#include "actors/cli/node_choice.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::cli;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(node_choice_)

BOOST_AUTO_TEST_CASE(a_rule_names_pods_and_their_end) {
  struct row {
    const char* text;
    const char* pattern;
    int code;
    std::optional<std::chrono::milliseconds> after;
    bool once;
  };
  const row rows[] = {
      {"a-worker-0=1", "a-worker-0", 1, {}, false},
      {"*-worker-?=137@2s", "*-worker-?", 137, 2s, false},
      {"a=255,once", "a", 255, {}, true},
      {"a=1@1m30s,once", "a", 1, 90s, true},
  };
  for (const auto& r : rows) {
    auto f = parse_simulated_failure(r.text);
    BOOST_REQUIRE(f);
    BOOST_TEST(f->pod_pattern == r.pattern);
    BOOST_TEST(f->exit_code == r.code);
    BOOST_TEST((f->after == r.after), r.text);
    BOOST_TEST(f->once == r.once);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_rule_is_refused_with_the_form) {
  for (const char* text : {"", "a", "=1", "a=", "a=0", "a=256", "a=x", "a=1@",
                           "a=1@5", "a=1,twice", "a=1 "}) {
    auto f = parse_simulated_failure(text);
    BOOST_REQUIRE(!f);
    BOOST_TEST(f.error().message.find("; write POD=CODE") != std::string::npos,
               f.error().message);
  }
}

BOOST_AUTO_TEST_CASE(rules_are_for_the_simulated_node) {
  node_choice flags;
  BOOST_TEST(!*simulation_of(flags));
  flags.failures = {"a=1"};
  BOOST_TEST(!simulation_of(flags));
  flags.kind = "simulated";
  flags.run_time = "2s";
  auto simulated = simulation_of(flags);
  BOOST_REQUIRE(simulated);
  BOOST_TEST(((*simulated)->run_time == 2s));
  BOOST_TEST((*simulated)->failures.size() == 1u);
  flags.run_time = "2";
  BOOST_TEST(simulation_of(flags).error().message.find("--simulated-run-time")
             == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
