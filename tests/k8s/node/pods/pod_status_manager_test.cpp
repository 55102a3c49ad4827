#include "k8s/node/pods/pod_status_manager.hpp"
#include "tests/k8s/recording_api.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(pod_status_manager_test)

namespace {

struct manager_fixture {
  std::shared_ptr<boost::asio::io_context> io =
      std::make_shared<boost::asio::io_context>();
  std::shared_ptr<recording_api> server = std::make_shared<recording_api>();
  node_client client{io, server};
  pod_status_manager manager{client};

  bool set_phase(const std::string& phase) {
    pod_runtime_status status;
    status.phase = phase;
    return manager.write_status_if_changed(pod_named("a"), status);
  }
  /// Answers the one call that is under way.
  void answer(result<std::string> answer) {
    BOOST_REQUIRE(server->calls.size() == 1u);
    auto call = server->calls[0];
    server->calls.clear();
    call.answer(std::move(answer));
    io->restart();
    io->run(); // Until the pause before a retry is over, if there is one.
  }
  /// The phases of the writes that are under way.
  std::string on_write_ended() const {
    std::string out;
    for (const auto& c : server->calls)
      out += (out.empty() ? "" : " ") + text_at(c.body(), {"status", "phase"});
    return out;
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(a_status_is_written_when_it_differs, manager_fixture) {
  BOOST_TEST(set_phase("Pending"));
  BOOST_TEST(server->calls.at(0).sent.path
             == "/api/v1/namespaces/n/pods/a/status");
  answer(std::string{"{}"});
  BOOST_TEST(!set_phase("Pending"));
  BOOST_TEST(on_write_ended() == "");
  BOOST_TEST(set_phase("Running"));
  BOOST_TEST(on_write_ended() == "Running");
}

BOOST_FIXTURE_TEST_CASE(one_write_at_a_time_and_then_the_latest,
                        manager_fixture) {
  set_phase("Pending");
  set_phase("Running");
  set_phase("Succeeded");
  BOOST_TEST(on_write_ended() == "Pending");
  answer(std::string{"{}"});
  BOOST_TEST(on_write_ended() == "Succeeded");
  answer(std::string{"{}"});
  BOOST_TEST(on_write_ended() == "");
}

BOOST_FIXTURE_TEST_CASE(a_failed_write_is_repeated_if_that_may_help,
                        manager_fixture) {
  set_phase("Pending");
  answer(failure{ec::unreachable, "no"});
  BOOST_TEST(on_write_ended() == "Pending");
  set_phase("Running");
  answer(failure{ec::unreachable, "no"});
  BOOST_TEST(on_write_ended() == "Running");
  answer(failure{ec::invalid, "no"});
  BOOST_TEST(on_write_ended() == "");
}

BOOST_FIXTURE_TEST_CASE(nothing_is_written_of_a_forgotten_pod,
                        manager_fixture) {
  set_phase("Pending");
  set_phase("Running");
  manager.forget_pod("uid-a");
  answer(failure{ec::unreachable, "no"});
  BOOST_TEST(on_write_ended() == "");
}

BOOST_AUTO_TEST_SUITE_END()
