#include "k8s/general/files.hpp"
#include "k8s/node/base/embedded_files.hpp"
#include "k8s/node/containers/process.hpp"
#include "tests/k8s/node/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

namespace {

struct bench {
  scratch_directory directory;
  std::string reaper = directory.path() + "/reaper";
  boost::asio::io_context io;

  bench() {
    BOOST_REQUIRE(!write_file_atomically(reaper, reaper_bytes(), 0755));
  }

  container_plan plan(const std::string& script) const {
    return {"main",
            {"bash", "-c", script},
            {{"PATH", "/usr/bin:/bin"}},
            directory.path()};
  }

  std::vector<int> pids(std::size_t n) const {
    std::vector<int> found;
    eventually([&] {
      found.clear();
      std::ifstream in(directory.path() + "/pids");
      for (int pid = 0; in >> pid;)
        found.push_back(pid);
      return found.size() >= n;
    });
    return found;
  }
};

} // namespace

BOOST_AUTO_TEST_CASE(a_reaper_that_does_not_get_on_is_killed) {
  bench b;
  // As one that waits for a file system.
  BOOST_REQUIRE(!write_file_atomically(
      b.reaper,
      "#!/bin/sh\necho $$ > " + b.directory.path() + "/pids\nexec sleep 1000\n",
      0755));
  auto started = start_reaped_program(b.reaper, "-", b.plan("true"), {},
                                      std::chrono::milliseconds{500});
  BOOST_REQUIRE(!started);
  BOOST_TEST(started.error().message.find("not set up within")
             != std::string::npos);
  for (int pid : b.pids(1))
    BOOST_TEST(eventually([pid] { return ::kill(pid, 0) != 0; }));
}

BOOST_AUTO_TEST_CASE(a_program_starts_clean) {
  bench b;
  // Neither descriptors nor variables nor blocked signals of ours.
  int leak = ::open("/dev/null", 0);
  auto plan = b.plan("ls /proc/self/fd | tr '\\n' ' '; env | grep -c =; "
                     "grep SigBlk /proc/self/status; pwd");
  std::string text;
  int code = -1;
  auto p = process::start(
      b.io, b.reaper, plan, [&](std::string_view t) { text += t; },
      [&](const process_end& e) { code = e.exit_code; });
  BOOST_REQUIRE(p);
  b.io.run();
  ::close(leak);
  BOOST_TEST(code == 0);
  // ls itself has the fourth open; bash adds PWD, SHLVL and _.
  BOOST_TEST(text
             == "0 1 2 3 4\nSigBlk:\t0000000000000000\n" + b.directory.path()
                    + "\n");
}

BOOST_AUTO_TEST_CASE(what_a_program_leaves_behind_ends_with_it) {
  bench b;
  auto p = process::start(
      b.io, b.reaper,
      b.plan("sleep 600 & echo $! >> pids; setsid sleep 600 & echo $! >> pids; "
             "exit 5"),
      [](std::string_view) {},
      [&](const process_end& e) {
        BOOST_TEST(e.exit_code == 5);
        for (int pid : b.pids(2))
          BOOST_TEST(!is_running(pid));
      });
  BOOST_REQUIRE(p);
  b.io.run();
}

BOOST_AUTO_TEST_CASE(nothing_outlives_a_node_that_is_killed) {
  bench b;
  auto child = ::fork();
  if (child == 0) {
    auto p = process::start(
        b.io, b.reaper,
        b.plan("trap '' TERM; sleep 600 & echo $! >> pids; setsid sleep 600 & "
               "echo $! >> pids; echo $$ >> pids; wait; wait"),
        [](std::string_view) {}, [](const process_end&) {});
    b.io.run();
    ::_exit(p ? 0 : 1);
  }
  auto pids = b.pids(3);
  BOOST_TEST(pids.size() == 3u);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (int pid : pids)
    BOOST_TEST(eventually([pid] { return !is_running(pid); }));
}

BOOST_AUTO_TEST_CASE(a_failed_start_is_told_apart) {
  bench b;
  auto start = [&](const container_plan& plan) {
    auto p = process::start(
        b.io, b.reaper, plan, [](std::string_view) {},
        [](const process_end&) {});
    return p ? "" : p.error().message;
  };
  auto plan = b.plan("");
  plan.argv = {"/no/such"};
  BOOST_TEST(start(plan) == "exec: \"/no/such\": No such file or directory");
  plan.argv = {b.directory.path()};
  BOOST_TEST(start(plan)
             == "exec: \"" + b.directory.path() + "\": Permission denied");
  plan = b.plan("");
  plan.directory = "/no/such";
  BOOST_TEST(start(plan) == "chdir: \"/no/such\": No such file or directory");
  b.reaper = "/no/such/reaper";
  BOOST_TEST(start(b.plan(""))
             == "cannot start a process: No such file or directory");
}
