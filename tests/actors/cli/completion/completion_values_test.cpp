#include "actors/cli/completion/completion_values.hpp"

#include <CLI/CLI.hpp>
#include <boost/test/unit_test.hpp>

using namespace troupe::cli;
using boost::test_tools::per_element;
using nlohmann::json;
using words = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(completion_values)

namespace {

/// With some of the flags that the commands have.
struct sample_app {
  CLI::App app{"a program", "troupe"};
  std::string text;
  std::vector<std::string> texts;

  CLI::Option* option(CLI::App* of, const char* name, const char* type) {
    return of->add_option(name, text)->type_name(type);
  }
  sample_app() {
    auto* run = app.add_subcommand("run");
    run->add_option("FILE", texts);
    option(run, "-k,--kustomize", "DIRECTORY");
    option(run, "--output", "FORMAT")->check(CLI::IsMember({"text", "json"}));
    option(run, "--logs", "WHOSE");
    option(run, "--timeout", "DURATION");
    run->add_flag("--keep");
    auto* explain = app.add_subcommand("explain");
    explain->add_option("JOB", text);
    option(explain, "-n,--namespace", "NAMESPACE");
    option(explain, "--kubeconfig", "FILE");
    option(explain, "--context", "NAME");
    option(explain, "--admin", "URL");
    auto* settings = app.add_subcommand("operator");
    for (const char* name : {"--log-level", "--enable-scheme",
                             "--admin-tls-key-file", "--gateways"})
      option(settings, name, "VALUE");
  }
};

value_question ask(const words& typed) {
  sample_app sample;
  return read_value_question(sample.app, typed);
}

} // namespace

BOOST_AUTO_TEST_CASE(the_place_says_what_can_be_there) {
  struct row {
    words typed;
    value_source source;
    const char* begun;
    const char* before;
  } rows[] = {
      {{"run", ""}, value_source::files, "", ""},
      {{"run", "a.yaml", "b"}, value_source::files, "b", ""},
      {{"run", "--keep", "b"}, value_source::files, "b", ""},
      {{"run", "-k", "d"}, value_source::directories, "d", ""},
      {{"run", "--kustomize", ""}, value_source::directories, "", ""},
      {{"run", "--output", "te"}, value_source::choices, "te", ""},
      {{"run", "--output", "=", "te"}, value_source::choices, "te", ""},
      {{"run", "--output", "="}, value_source::choices, "", ""},
      {{"run", "--output=te"}, value_source::choices, "te", "--output="},
      {{"run", "--output", "text", "f"}, value_source::files, "f", ""},
      {{"run", "--logs", "w"}, value_source::choices, "w", ""},
      {{"run", "--timeout", ""}, value_source::nothing, "", ""},
      {{"explain", "w"}, value_source::jobs, "w", ""},
      {{"explain", "--context", ""}, value_source::contexts, "", ""},
      {{"explain", "-n", "d"}, value_source::namespaces, "d", ""},
      {{"explain", "--kubeconfig", ""}, value_source::files, "", ""},
      {{"explain", "--admin", ""}, value_source::nothing, "", ""},
      {{"operator", "--log-level", ""}, value_source::choices, "", ""},
      {{"operator", "--enable-scheme", ""}, value_source::choices, "", ""},
      {{"operator", "--admin-tls-key-file", ""}, value_source::files, "", ""},
      {{"operator", "--gateways", ""}, value_source::nothing, "", ""},
      {{"unknown", ""}, value_source::nothing, "", ""},
      {{"run"}, value_source::nothing, "", ""},
      {{}, value_source::nothing, "", ""},
  };
  for (const auto& r : rows) {
    auto q = ask(r.typed);
    BOOST_TEST_CONTEXT((r.typed.empty() ? "" : r.typed.back())) {
      BOOST_TEST((q.values.source == r.source));
      BOOST_TEST(q.begun == r.begun);
      BOOST_TEST(q.before == r.before);
    }
  }
}

BOOST_AUTO_TEST_CASE(choices_are_those_that_are_checked) {
  BOOST_TEST(ask({"run", "--output", ""}).values.choices
                 == (words{"text", "json"}),
             per_element());
  BOOST_TEST(ask({"operator", "--log-level", ""}).values.choices
                 == (words{"debug", "info", "warn", "error"}),
             per_element());
  auto has = [](const words& typed, const std::string& word) {
    auto q = ask(typed);
    return !select_shell_safe_candidates(q.values.choices, word).empty();
  };
  BOOST_TEST(has({"operator", "--enable-scheme", ""}, "PyTorchJob"));
  for (const char* type : {"all", "none", "worker", "master", "ps"})
    BOOST_TEST(has({"run", "--logs", ""}, type), type);
}

BOOST_AUTO_TEST_CASE(flags_say_whom_to_ask) {
  auto q = ask({"explain", "-n", "team", "--kubeconfig=/k", "--context", "=",
                "east", "--admin", "http://a", "w"});
  BOOST_TEST((q.values.source == value_source::jobs));
  BOOST_TEST(q.ns == "team");
  BOOST_TEST(q.kubeconfig == "/k");
  BOOST_TEST(q.context == "east");
  BOOST_TEST(q.admin == "http://a");
}

BOOST_AUTO_TEST_CASE(jobs_are_named_as_explain_takes_them) {
  auto job = [](const char* ns, const char* kind, const char* name) {
    return json{{"namespace", ns}, {"kind", kind}, {"name", name}};
  };
  json list{{"jobs",
             {job("default", "TFJob", "mnist"), job("team", "MPIJob", "pi")}}};
  auto candidates = [&](const char* chosen, const char* begun) {
    return job_candidates(list, chosen, "default", begun);
  };
  BOOST_TEST(candidates("", "") == (words{"mnist", "team/pi"}), per_element());
  BOOST_TEST(candidates("", "t")
                 == (words{"mnist", "tfjob/mnist", "default/mnist", "team/pi"}),
             per_element());
  BOOST_TEST(candidates("team", "") == words{"pi"}, per_element());
  BOOST_TEST(candidates("team", "m") == (words{"pi", "mpijob/pi"}),
             per_element());
  BOOST_TEST(job_candidates(nullptr, "", "", "").empty());
}

BOOST_AUTO_TEST_CASE(what_a_shell_would_run_is_not_offered) {
  words all{"east", "east", "$(reboot)", "e`x`", "e x", "e;x", "", "west"};
  BOOST_TEST(select_shell_safe_candidates(all, "") == (words{"east", "west"}),
             per_element());
  BOOST_TEST(select_shell_safe_candidates(all, "w") == words{"west"},
             per_element());
  words many;
  for (int i = 0; i < 5000; ++i)
    many.push_back("n" + std::to_string(i));
  BOOST_TEST(select_shell_safe_candidates(many, "").size() == 1000u);
}

BOOST_AUTO_TEST_SUITE_END()
