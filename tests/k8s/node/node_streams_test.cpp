#include "tests/k8s/node/node_fixture.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(node_streams_test)

namespace {

/// The client of one session.
struct session_client {
  session_sink sink() {
    return {[this](output_stream s, const std::string& bytes) {
              change([&] {
                (s == output_stream::standard_error ? errors : output) += bytes;
              });
            },
            [this] { return is_reading.load(); },
            [this] { change([&] { ++taken; }); },
            [this](const result<int>& how) {
              change([&] {
                BOOST_TEST(!has_ended);
                has_ended = true;
                exit_code = how ? *how : -1;
                why = how ? "" : how.error().message;
              });
            }};
  }
  template <class F>
  void change(F f) {
    std::lock_guard guard{mutex};
    f();
    changed.notify_all();
  }
  template <class F>
  bool wait(F is_so) {
    std::unique_lock guard{mutex};
    return changed.wait_for(guard, std::chrono::minutes{1}, is_so);
  }
  int end() {
    BOOST_REQUIRE(wait([this] { return has_ended; }));
    return exit_code;
  }
  bool read(const std::string& part) {
    return wait([&] { return output.find(part) != std::string::npos; });
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> is_reading{true};
  std::string output;
  std::string errors;
  std::string why;
  int taken = 0;
  int exit_code = -2;
  bool has_ended = false;
};

struct streams_fixture {
  streams_fixture() {
    node.create(node_fixture::pod("p", script));
    node.wait_for_phase("p", "Running");
  }
  stream_session_ptr exec(session_client& c, const std::string& shell_command,
                          bool has_stdin = false, bool tty = false) {
    exec_options o;
    o.command = {"bash", "-c", shell_command};
    o.has_stdin = has_stdin;
    o.has_stdout = o.has_stderr = true;
    o.tty = tty;
    return streams->exec({"default", "p", "main"}, o, c.sink());
  }
  std::vector<int> pids(std::size_t n) {
    std::vector<int> found;
    BOOST_TEST(eventually([&] {
      found.clear();
      std::ifstream in(node.directory() + "/pids");
      for (int pid = 0; in >> pid;)
        found.push_back(pid);
      return found.size() >= n;
    }));
    return found;
  }
  std::string writes_pid(const std::string& pid) {
    return "echo " + pid + " >> " + node.directory() + "/pids; ";
  }

  std::string script = "trap 'exit 3' TERM; while :; do sleep 0.1; done";
  node_fixture node;
  streaming_runtime* streams = node.running_node().streams();
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_command_has_streams_of_its_own_and_an_exit_code,
                        streams_fixture) {
  session_client c;
  auto s = exec(c, "cat; echo error >&2; echo $TROUPE_POD_NAME; exit 7", true);
  s->write_input("input ");
  BOOST_TEST(c.wait([&] { return c.taken == 1; }));
  s->close_input();
  BOOST_TEST(c.end() == 7);
  BOOST_TEST(c.output == "input p\n");
  BOOST_TEST(c.errors == "error\n");
  s->write_input("to nobody");
  s->resize_terminal(1, 1);
  session_client killed;
  auto k = exec(killed, "kill -9 $$");
  BOOST_TEST(killed.end() == 137);
}

BOOST_FIXTURE_TEST_CASE(commands_count_to_what_their_container_uses,
                        streams_fixture) {
  constexpr std::int64_t much = 50'000'000;
  BOOST_TEST(node.measure_usage("p")["main"].memory < much);
  session_client c;
  auto s =
      exec(c, "(head -c 60000000 /dev/zero; cat) | tail -c 50000000", true);
  BOOST_TEST(eventually(
      [&] { return node.measure_usage("p")["main"].memory > much; }));
  s.reset(); // The client has gone, and so has the command.
  BOOST_TEST(eventually(
      [&] { return node.measure_usage("p")["main"].memory < much; }));
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_run_is_said, streams_fixture) {
  exec_options o;
  o.command = {"no-such-program"};
  struct row {
    container_ref where;
    const char* why;
  };
  const row rows[] = {
      {{"default", "p", "main"},
       "error executing command in container: failed to exec in container: "
       "exec: \"no-such-program\": not found in $PATH"},
      {{"default", "p", "other"}, "container not found (\"other\")"},
      {{"default", "q", "main"}, "container not found (\"main\")"},
  };
  for (const auto& r : rows) {
    session_client c;
    auto s = streams->exec(r.where, o, c.sink());
    BOOST_TEST(c.end() == -1);
    BOOST_TEST(c.why == r.why);
  }
}

BOOST_FIXTURE_TEST_CASE(a_client_that_does_not_read_stops_the_command,
                        streams_fixture) {
  session_client c;
  c.is_reading = false;
  auto s = exec(c, writes_pid("$$") + "head -c 3000000 /dev/zero");
  pids(1);
  BOOST_TEST(c.wait([&] { return !c.output.empty(); }));
  c.change([&] { BOOST_TEST(c.output.size() < 200000u); });
  BOOST_TEST(!c.has_ended);
  c.is_reading = true;
  s->resume_output();
  BOOST_TEST(c.end() == 0);
  BOOST_TEST(c.output.size() == 3000000u);
}

BOOST_FIXTURE_TEST_CASE(a_command_that_does_not_read_takes_no_more,
                        streams_fixture) {
  session_client c;
  auto s = exec(c, "read line; head -c 1000000 | wc -c", true);
  s->write_input("first\n" + std::string(1000000, 'x'));
  BOOST_TEST(c.end() == 0);
  BOOST_TEST(c.output == "1000000\n");
  session_client other;
  auto t = exec(other, "exec sleep 365d", true);
  t->write_input(std::string(1000000, 'x'));
  session_client after;
  auto u = exec(after, "exit 0");
  BOOST_TEST(after.end() == 0);
  other.change([&] { BOOST_TEST(other.taken == 0); });
  t.reset();
  BOOST_TEST(other.end() == 143); // The sink is in use until then.
}

BOOST_FIXTURE_TEST_CASE(a_client_that_leaves_ends_the_command,
                        streams_fixture) {
  for (bool tty : {false, true}) {
    session_client c;
    auto before = tty ? 3u : 0u;
    // One that ignores it is killed; so are those who were started with it.
    auto s = exec(c,
                  "trap '' TERM HUP; " + writes_pid("$$") + "sleep 365d & "
                      + writes_pid("$!") + "setsid sleep 365d & "
                      + writes_pid("$!") + "while :; do wait; done",
                  true, tty);
    auto all = pids(before + 3);
    s.reset();
    BOOST_TEST(c.end() == 137);
    for (auto pid : all)
      BOOST_TEST(eventually([&] { return !is_running(pid); }));
  }
}

BOOST_FIXTURE_TEST_CASE(what_a_command_leaves_behind_ends_with_the_container,
                        streams_fixture) {
  session_client c;
  auto s = exec(c, "setsid sleep 365d < /dev/null > /dev/null 2>&1 & "
                       + writes_pid("$!") + "exit 0");
  BOOST_TEST(c.end() == 0);
  s.reset();
  auto left = pids(1).front();
  session_client running;
  auto r = exec(running, writes_pid("$$") + "exec sleep 365d");
  auto command = pids(2).back();
  BOOST_TEST(is_running(left));
  node.remove("p", 1);
  BOOST_TEST(running.end() == 137);
  for (auto pid : {left, command})
    BOOST_TEST(eventually([&] { return !is_running(pid); }));
}

BOOST_FIXTURE_TEST_CASE(a_terminal_is_the_commands_own, streams_fixture) {
  session_client c;
  auto s = exec(c,
                "trap 'stty size' WINCH; trap 'echo int; exit 4' INT; tty; "
                "echo $TERM; echo ready; while :; do sleep 0.1; done",
                true, true);
  BOOST_TEST(c.read("/dev/pts/"));
  BOOST_TEST(c.read("xterm"));
  BOOST_TEST(c.read("ready\r\n"));
  s->resize_terminal(99, 33);
  BOOST_TEST(c.read("33 99"));
  s->write_input("\x03");
  BOOST_TEST(c.read("int"));
  BOOST_TEST(c.end() == 4);
}

BOOST_FIXTURE_TEST_CASE(attach_is_the_containers_own_streams, streams_fixture) {
  auto pod = node_fixture::pod(
      "a", "echo early; while read x; do echo got $x; done; echo end");
  pod["spec"]["containers"][0]["stdin"] = true;
  pod["spec"]["containers"][0]["stdinOnce"] = true;
  node.create(pod);
  node.wait_for_log("a", "early");
  session_client c;
  exec_options o;
  o.has_stdin = o.has_stdout = true;
  auto s = streams->attach({"default", "a", "main"}, o, c.sink());
  s->write_input("one\n");
  BOOST_TEST(c.read("got one\n"));
  BOOST_TEST(c.output == "got one\n");
  s->close_input();
  BOOST_TEST(c.end() == 0);
  BOOST_TEST(c.output == "got one\nend\n");
  node.wait_for_phase("a", "Succeeded");
  session_client late;
  auto t = streams->attach({"default", "a", "main"}, o, late.sink());
  BOOST_TEST(late.end() == -1);
}

BOOST_FIXTURE_TEST_CASE(a_connection_goes_to_the_pods_address,
                        streams_fixture) {
  using boost::asio::ip::tcp;
  auto address = text_at(node.get("p"), {"status", "podIP"});
  boost::asio::io_context io;
  tcp::acceptor server{io, {boost::asio::ip::make_address(address), 0}};
  auto port = server.local_endpoint().port();
  session_client c;
  auto s = streams->forward_port("default", "p", port, c.sink());
  s->write_input("question");
  auto peer = server.accept();
  std::string got(8, '\0');
  boost::asio::read(peer, boost::asio::buffer(got));
  BOOST_TEST(got == "question");
  BOOST_TEST(c.wait([&] { return c.taken == 1; }));
  s->close_input();
  boost::system::error_code end;
  peer.read_some(boost::asio::buffer(got), end);
  BOOST_TEST((end == boost::asio::error::eof));
  boost::asio::write(peer, boost::asio::buffer(std::string(1000000, 'x')));
  peer.close();
  BOOST_TEST(c.end() == 0);
  BOOST_TEST(c.output.size() == 1000000u);
  server.close();
  session_client nobody;
  auto t = streams->forward_port("default", "p", port, nobody.sink());
  BOOST_TEST(nobody.end() == -1);
  BOOST_TEST(nobody.why.find("dial tcp " + address + ":" + std::to_string(port)
                             + ": connect: connection refused")
             != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
