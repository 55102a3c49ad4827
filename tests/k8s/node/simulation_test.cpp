#include "k8s/node/simulation.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s::node;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(simulation_test)

BOOST_AUTO_TEST_CASE(a_pod_ends_as_the_first_rule_for_its_name_says) {
  simulation s;
  s.run_time = 5s;
  s.failures = {{"j-worker-1", 3, std::nullopt, false},
                {"j-worker-?", 137, 2s, true},
                {"j-ps-*", 1, 0s, false}};
  struct row {
    const char* pod;
    int earlier_failures;
    std::chrono::milliseconds after;
    int exit_code;
  };
  const row rows[] = {
      {"j-worker-1", 0, 5s, 3},   {"j-worker-1", 4, 5s, 3},
      {"j-worker-2", 0, 2s, 137}, {"j-worker-2", 1, 5s, 0},
      {"j-worker-12", 0, 5s, 0},  {"j-ps-12", 0, 0s, 1},
  };
  for (const auto& r : rows) {
    auto end = choose_simulated_end(s, r.pod, r.earlier_failures);
    BOOST_REQUIRE(end);
    BOOST_TEST((end->after == r.after), r.pod);
    BOOST_TEST(end->exit_code == r.exit_code, r.pod);
  }
}

BOOST_AUTO_TEST_CASE(without_a_run_time_only_failures_end_a_pod) {
  simulation s;
  s.run_time = 0s;
  s.failures = {{"a", 1, 1s, false}};
  BOOST_TEST(!choose_simulated_end(s, "b", 0));
  s.failures.push_back({"c", 1, std::nullopt, false});
  BOOST_TEST(!choose_simulated_end(s, "c", 0));
  BOOST_TEST(choose_simulated_end(s, "a", 0)->exit_code == 1);
}

BOOST_AUTO_TEST_SUITE_END()
