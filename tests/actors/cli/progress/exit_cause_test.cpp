#include "actors/cli/progress/exit_cause.hpp"

#include <boost/test/unit_test.hpp>

using troupe::cli::likely_exit_cause;

BOOST_AUTO_TEST_SUITE(exit_cause_test)

BOOST_AUTO_TEST_CASE(codes_of_shells_and_signals_have_a_cause) {
  for (auto code : {0, 1, 2, 3, 125, 128, 138, 255})
    BOOST_TEST(likely_exit_cause(code) == "");
  const std::pair<int, const char*> table[] = {
      {127, "not found"}, {134, "SIGABRT"}, {137, "memory runs out"},
      {139, "SIGSEGV"},   {143, "SIGTERM"},
  };
  for (const auto& [code, says] : table)
    BOOST_TEST(likely_exit_cause(code).find(says) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
