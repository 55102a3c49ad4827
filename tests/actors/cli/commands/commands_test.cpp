#include "actors/cli/commands/commands.hpp"

#include <boost/test/unit_test.hpp>

using troupe::cli::add_operator_command_if_called_manager;
using troupe::cli::displayed_program_name;
using troupe::cli::unknown_command_message;
using strings = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(commands)

BOOST_AUTO_TEST_CASE(called_manager_the_program_is_the_operator) {
  const std::pair<strings, strings> table[] = {
      {{"/manager"}, {"operator"}},
      {{"/manager", "--leader-elect"}, {"operator", "--leader-elect"}},
      {{"./manager", "-namespace", "ml"}, {"operator", "-namespace", "ml"}},
      {{"manager", "version"}, {"version"}},
      {{"manager", "operator", "--leader-elect"},
       {"operator", "--leader-elect"}},
      {{"/usr/bin/troupe", "--help"}, {"--help"}},
      {{"/opt/manager/troupe", "--help"}, {"--help"}},
      {{"/usr/bin/troupe"}, {}},
      {{}, {}},
  };
  for (const auto& [argv, want] : table)
    BOOST_TEST(add_operator_command_if_called_manager(argv) == want,
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(as_a_plugin_of_kubectl_it_has_two_names) {
  const std::pair<strings, const char*> table[] = {
      {{"/usr/bin/kubectl-troupe", "top"}, "kubectl troupe"},
      {{"kubectl-troupe"}, "kubectl troupe"},
      {{"/usr/bin/troupe"}, "troupe"},
      {{"/manager"}, "troupe"},
      {{"/kubectl-troupe/x"}, "troupe"},
      {{}, "troupe"},
  };
  for (const auto& [argv, want] : table)
    BOOST_TEST(displayed_program_name(argv) == want);
  BOOST_TEST(
      add_operator_command_if_called_manager({"/usr/bin/kubectl-troupe", "top"})
          == strings{"top"},
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_misspelt_command_is_proposed) {
  const strings known{"run", "up", "explain"};
  const std::pair<const char*, const char*> table[] = {
      {"runn", "unknown command runn; did you mean run?"},
      {"explian", "unknown command explian; did you mean explain?"},
      {"deploy", "unknown command deploy; choose one of run, up, explain"},
      {"job.yaml", "unknown command job.yaml; choose one of run, up, explain"},
      {"run", ""},
      {"--runn", ""},
  };
  for (const auto& [word, error] : table)
    BOOST_TEST(unknown_command_message(known, word) == error, word);
}

BOOST_AUTO_TEST_SUITE_END()
