#include "actors/cli/completion/shell_completion.hpp"

#include <CLI/CLI.hpp>
#include <boost/test/unit_test.hpp>

using troupe::cli::completion_script;

BOOST_AUTO_TEST_SUITE(completion)

namespace {

/// The script for an app with the command `run`, which has a flag with a value,
/// a switch, and one that the help does not show.
std::string script_for(const char* shell) {
  CLI::App app{"a program", "troupe"};
  auto* run = app.add_subcommand("run", "Run one job: here");
  std::string logs;
  run->add_option("--logs", logs, "Whose logs to show, or 'none'");
  run->add_flag("--keep", "Keep them");
  std::string format;
  run->add_option("--output", format, "How")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json"}));
  std::string where;
  run->add_option("--run-dir", where, "Where")->type_name("DIRECTORY");
  std::string job;
  app.add_subcommand("explain", "Say")->add_option("JOB", job, "Which");
  run->add_flag("--secret", "Not for all")->group("");
  return completion_script(app, shell);
}

void check_parts(const char* shell, const std::vector<const char*>& parts) {
  auto script = script_for(shell);
  for (const auto* part : parts)
    BOOST_TEST(script.find(part) != std::string::npos,
               part << " is not in " << script);
  BOOST_TEST(script.find("secret") == std::string::npos);
}

} // namespace

BOOST_AUTO_TEST_CASE(each_shell_gets_commands_and_flags) {
  check_parts("bash",
              {"words='run explain --help --version'",
               "run) words='--help --logs --keep --output --run-dir' ;;",
               "\"${COMP_WORDS[0]}\" __complete",
               "complete -o default -F _troupe troupe"});
  check_parts("zsh", {"#compdef troupe", "'run:Run one job: here'",
                      "$(${words[1]} __complete",
                      R"('--logs:Whose logs to show, or '\''none'\''')"});
  check_parts("fish", {"-n __fish_use_subcommand -a run -d 'Run one job: here'",
                       R"(-l logs -r -d 'Whose logs to show, or \'none\'')",
                       "-l keep -d 'Keep them'\n",
                       "-l output -r -d 'How' -f -a 'text json'",
                       "-l run-dir -r -d 'Where' -f -a '(__fish_complete_dir",
                       "from explain' -f -a '(__troupe_values)'"});
}

BOOST_AUTO_TEST_CASE(no_other_shell_is_known) {
  BOOST_TEST(script_for("powershell") == "");
}

BOOST_AUTO_TEST_SUITE_END()
