#include "k8s/general/child_output.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>

using namespace troupe::k8s;
using namespace std::chrono_literals;

namespace {

result<std::string> sh(const std::string& script,
                       std::chrono::milliseconds timeout = 30s) {
  return run_for_output(
      {"sh", {"-c", script}, {"PATH=/usr/bin:/bin"}, timeout});
}

void check_failed(const result<std::string>& r, const std::string& part) {
  BOOST_REQUIRE(!r);
  BOOST_CHECK_MESSAGE(r.error().message.find(part) != std::string::npos,
                      r.error().message);
}

} // namespace

BOOST_AUTO_TEST_CASE(what_a_child_writes_is_read_whole) {
  auto r = sh("printf 'a\\nb'");
  BOOST_REQUIRE(bool(r));
  BOOST_CHECK_EQUAL(*r, "a\nb");
  r = sh("head -c 500000 /dev/zero");
  BOOST_REQUIRE(bool(r));
  BOOST_CHECK_EQUAL(r->size(), 500000u);
}

BOOST_AUTO_TEST_CASE(a_child_has_no_input_and_only_the_given_environment) {
  auto r = sh("cat; echo \"$HOME\"");
  BOOST_REQUIRE(bool(r));
  BOOST_CHECK_EQUAL(*r, "\n");
}

BOOST_AUTO_TEST_CASE(a_child_that_fails_is_told_apart_from_one_not_there) {
  check_failed(sh("exit 4"), "sh failed with code 4");
  check_failed(sh("kill -TERM $$"), "sh failed with signal 15");
  check_failed(run_for_output({"no-such-program", {}, {}, 30s}),
               "cannot run no-such-program: No such file");
}

// The kernel then forgets how children ended.
BOOST_AUTO_TEST_CASE(a_child_whose_end_is_not_known_has_not_succeeded) {
  auto before = std::signal(SIGCHLD, SIG_IGN);
  auto failed = sh("exit 4");
  auto good = sh("echo x");
  std::signal(SIGCHLD, before);
  check_failed(failed, "whether sh succeeded is not known");
  check_failed(good, "SIGCHLD");
  BOOST_CHECK(bool(sh("echo x")));
}

BOOST_AUTO_TEST_CASE(a_child_that_is_late_is_killed_with_its_children) {
  check_failed(sh("sleep 1000", 50ms), "did not answer in time");
  check_failed(sh("sleep 1000 & sleep 1000", 50ms), "did not answer in time");
  // As long as the shell has not come to its second command, nothing has ended.
  auto limit = 50ms;
  auto r = sh("exec >&-; sleep 1000", limit);
  while (!r && r.error().message.find("answer in time") != std::string::npos
         && limit < 60s)
    r = sh("exec >&-; sleep 1000", limit *= 2);
  check_failed(r, "did not end in time");
}

BOOST_AUTO_TEST_CASE(a_child_that_talks_without_end_is_killed) {
  check_failed(sh("while :; do echo more of the same; done"), "wrote too much");
}
