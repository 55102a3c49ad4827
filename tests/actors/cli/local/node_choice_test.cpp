#include "actors/cli/local/node_choice.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>

using namespace troupe;
using namespace troupe::cli;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(node_choice_)

BOOST_AUTO_TEST_CASE(the_first_lines_say_what_is_missing) {
  using k8s::node::isolation_kind;
  k8s::node::isolation_report r;
  r.kind = isolation_kind::namespaces;
  BOOST_TEST(describe_isolation(r).size() == 1u);
  r.is_work_directory_shared = true;
  r.shared_private_directory = "/tmp";
  r.taken_subnet = "10.244.0.0/16";
  r.why_no_gateway = "slirp4netns is not installed";
  auto lines = describe_isolation(r);
  BOOST_REQUIRE(lines.size() == 5u);
  BOOST_TEST(lines[0].rfind("Isolation: namespaces", 0) == 0u);
  BOOST_TEST(lines[1].find("but /tmp:") != std::string::npos);
  BOOST_TEST(lines[3].find(r.taken_subnet) != std::string::npos);
  BOOST_TEST(lines[4].find(r.why_no_gateway) != std::string::npos);
  r = {};
  r.why_not = "making a user namespace: Operation not permitted";
  lines = describe_isolation(r);
  BOOST_REQUIRE(lines.size() == 2u);
  BOOST_TEST(lines[0].rfind("Isolation: preload", 0) == 0u);
  BOOST_TEST(lines[1].find(r.why_not) != std::string::npos);
  r.why_no_preload = "/bin/sh is linked statically";
  lines = describe_isolation(r);
  BOOST_REQUIRE(lines.size() == 3u);
  BOOST_TEST(lines[2]
             == "  (/bin/sh is linked statically: its scripts see this "
                "machine)");
  r.kind = isolation_kind::none;
  lines = describe_isolation(r);
  BOOST_REQUIRE(lines.size() == 3u);
  BOOST_TEST(lines[0].rfind("Isolation: none", 0) == 0u);
  BOOST_TEST(lines[2].rfind("  (no preload: /bin/sh", 0) == 0u);
}

BOOST_AUTO_TEST_CASE(a_working_directory_is_there_and_told) {
  node_choice c;
  BOOST_TEST(*parse_work_directory(c) == "");
  c.work_directory = "/usr/../usr/bin/";
  auto path = parse_work_directory(c);
  BOOST_REQUIRE(bool(path));
  BOOST_TEST(*path == std::filesystem::canonical("/usr/bin").string());
  for (const char* wrong : {"/no/such", "/etc/passwd"}) {
    c.work_directory = wrong;
    BOOST_TEST(parse_work_directory(c).error().message
               == std::string{"--workdir "} + wrong
                      + " is no directory; make it first");
  }
  c.kind = "simulated";
  BOOST_TEST(parse_simulation(c).error().message.find("--workdir is") == 0u);
  k8s::node::isolation_report r;
  r.kind = k8s::node::isolation_kind::namespaces;
  r.written_work_directory = "/home/me/out";
  auto lines = describe_isolation(r);
  BOOST_REQUIRE(lines.size() == 2u);
  BOOST_TEST(lines[0].find("working directory") == std::string::npos);
  BOOST_TEST(lines[1].find("Pods work in /home/me/out") == 0u);
}

BOOST_AUTO_TEST_CASE(isolation_is_chosen_by_name) {
  using k8s::node::isolation_kind;
  node_choice c;
  BOOST_TEST((parse_isolation_kind_or_automatic(c.isolation)
              == isolation_kind::automatic));
  c.isolation = "auto";
  BOOST_TEST((parse_isolation_kind_or_automatic(c.isolation)
              == isolation_kind::automatic));
  c.isolation = "preload";
  BOOST_TEST((parse_isolation_kind_or_automatic(c.isolation)
              == isolation_kind::preload));
  c.isolation = "namespaces";
  BOOST_TEST((parse_isolation_kind_or_automatic(c.isolation)
              == isolation_kind::namespaces));
  c.isolation = "none";
  BOOST_TEST(
      (parse_isolation_kind_or_automatic(c.isolation) == isolation_kind::none));
}

BOOST_AUTO_TEST_CASE(a_volume_is_a_claim_and_a_directory) {
  node_choice c;
  c.volumes = {"data=/", "more=/tmp/../tmp"};
  auto all = parse_volumes(c);
  BOOST_REQUIRE(bool(all));
  BOOST_TEST(
      (*all
       == std::map<std::string, std::string>{{"data", "/"}, {"more", "/tmp"}}));
  struct row {
    std::vector<std::string> volumes;
    const char* isolation;
    const char* error;
  } rows[] = {
      {{"data"}, "", "--volume data: write CLAIM=DIRECTORY"},
      {{"=/tmp"}, "", "--volume =/tmp: write CLAIM=DIRECTORY"},
      {{"data="}, "", "--volume data=: write CLAIM=DIRECTORY"},
      {{"data=/no/such"},
       "",
       "--volume data=/no/such: /no/such is no directory; make it first"},
      {{"data=/tmp", "data=/"},
       "",
       "--volume data=/: the claim has a directory already"},
      {{"data=/tmp"},
       "none",
       "--volume: nothing is mounted with --isolation none; choose namespaces "
       "or preload"},
  };
  for (const auto& r : rows) {
    c.volumes = r.volumes;
    c.isolation = r.isolation;
    auto wrong = parse_volumes(c);
    BOOST_REQUIRE(!wrong);
    BOOST_TEST(wrong.error().message == r.error);
  }
  c.kind = "simulated";
  c.isolation = "";
  BOOST_TEST(!parse_simulation(c));
}

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
  BOOST_TEST(!*parse_simulation(flags));
  flags.failures = {"a=1"};
  BOOST_TEST(!parse_simulation(flags));
  flags.kind = "simulated";
  flags.run_time = "2s";
  auto simulated = parse_simulation(flags);
  BOOST_REQUIRE(simulated);
  BOOST_TEST(((*simulated)->run_time == 2s));
  BOOST_TEST((*simulated)->failures.size() == 1u);
  flags.isolation = "auto";
  BOOST_TEST(parse_simulation(flags).error().message.find("--isolation") == 0u);
  flags.isolation = "";
  flags.run_time = "2";
  BOOST_TEST(
      parse_simulation(flags).error().message
      == "invalid argument \"2\" for \"--simulated-run-time\" flag: must "
         "be a duration such as 300ms, 5s, 2m or 1h30m");
}

BOOST_AUTO_TEST_SUITE_END()
