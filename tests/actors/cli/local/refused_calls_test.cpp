#include "actors/cli/local/refused_calls.hpp"
#include "tests/k8s/recording_api.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::cli;
using lines = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(refused_calls_test)

BOOST_AUTO_TEST_CASE(what_is_refused_is_told_once) {
  auto server = std::make_shared<k8s::recording_api>();
  auto refused = std::make_shared<refused_calls>();
  auto client = make_recording_client(server, refused);
  int answers = 0;
  auto send_and_answer = [&](k8s::result<std::string> answer) {
    client->send({}, {}, [&](const auto&) { ++answers; });
    server->calls.back().answer(std::move(answer));
  };
  send_and_answer(std::string{"{}"});
  send_and_answer(k8s::failure{k8s::ec::not_found, "gone"});
  BOOST_TEST(refused->take_new_messages() == lines{},
             boost::test_tools::per_element());
  send_and_answer(k8s::failure{k8s::ec::forbidden, "cannot list pods"});
  send_and_answer(k8s::failure{k8s::ec::forbidden, "cannot list pods"});
  BOOST_TEST(refused->take_new_messages() == lines{"cannot list pods"},
             boost::test_tools::per_element());
  bool ended = false;
  auto watch = client->watch(
      {}, {}, {[](auto) {}, [&](const auto&) { ended = true; }, [] {}});
  server->watches.back().sink.ended(
      k8s::failure{k8s::ec::forbidden, "cannot watch pods"});
  BOOST_TEST(ended);
  send_and_answer(k8s::failure{k8s::ec::forbidden, "cannot list pods"});
  BOOST_TEST(refused->take_new_messages() == lines{"cannot watch pods"},
             boost::test_tools::per_element());
  BOOST_TEST(answers == 5);
}

BOOST_AUTO_TEST_CASE(their_number_is_limited) {
  refused_calls refused;
  for (int i = 0; i < 1000; ++i)
    refused.record_if_forbidden({k8s::ec::forbidden, std::to_string(i)});
  BOOST_TEST(refused.take_new_messages().size() == 20u);
}

BOOST_AUTO_TEST_SUITE_END()
