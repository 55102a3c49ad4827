#include "k8s/rest/credentials/context_names.hpp"
#include "tests/fixtures/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

using boost::test_tools::per_element;
using troupe::k8s::rest::find_context_names;

BOOST_AUTO_TEST_SUITE(context_names)

BOOST_AUTO_TEST_CASE(what_can_be_read_is_named) {
  troupe::fixtures::scratch_directory scratch;
  auto names = [&](const std::string& text) {
    auto path = scratch.path() + "/kubeconfig";
    std::ofstream{path} << text;
    return find_context_names(path);
  };
  using words = std::vector<std::string>;
  BOOST_TEST(
      names("contexts: [{name: east}, {name: west}, {name: east}, {x: y}, 5]")
          == (words{"east", "west"}),
      per_element());
  for (const char* wrong : {"", "contexts: 5", "- a", "a: ["})
    BOOST_TEST(names(wrong).empty(), wrong);
  BOOST_TEST(find_context_names(scratch.path() + "/none").empty());
}

BOOST_AUTO_TEST_SUITE_END()
