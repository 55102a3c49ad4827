#include "k8s/node/containers/variable_expansion.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(variable_expansion_test)

BOOST_AUTO_TEST_CASE(names_are_expanded_as_in_kubernetes) {
  std::map<std::string, std::string> v{{"A", "1"}, {"B_C", "two"}, {"E", ""}};
  struct {
    const char* text;
    const char* result;
  } rows[] = {
      {"", ""},
      {"plain", "plain"},
      {"$(A)", "1"},
      {"x$(A)y$(B_C)z", "x1ytwoz"},
      {"$(E)", ""},
      {"$(NO)", "$(NO)"},
      {"$$(A)", "$(A)"},
      {"$$$(A)", "$1"},
      {"$$$$(A)", "$$(A)"},
      {"$A", "$A"},
      {"$", "$"},
      {"$(A", "$(A"},
      {"$(", "$("},
      {"$()", "$()"},
      {"$($(A))", "$($(A))"},
      {"cost: 5$", "cost: 5$"},
  };
  for (const auto& row : rows)
    BOOST_TEST(expand_variables(row.text, v) == row.result, row.text);
}

BOOST_AUTO_TEST_SUITE_END()
