#include "k8s/rest/answer_batch.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s::rest;

namespace {

struct batch_fixture {
  boost::asio::io_context io;
  std::shared_ptr<answer_batch> batch = std::make_shared<answer_batch>(io);
  std::vector<int> handed_over;

  void add(int which, std::size_t calls_in_flight) {
    batch->add_or_hand_over_all([this, which] { handed_over.push_back(which); },
                                calls_in_flight);
  }
};

using numbers = std::vector<int>;

} // namespace

BOOST_FIXTURE_TEST_SUITE(answer_batch_test, batch_fixture)

BOOST_AUTO_TEST_CASE(an_answer_of_few_calls_is_handed_over_at_once) {
  add(1, 1);
  add(2, 4);
  BOOST_TEST(handed_over == (numbers{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(io.poll() == 0u); // No timer was needed.
}

BOOST_AUTO_TEST_CASE(answers_of_many_calls_are_handed_over_together) {
  add(1, 12);
  add(2, 12);
  BOOST_TEST(handed_over.empty());
  add(3, 12);
  BOOST_TEST(handed_over == (numbers{1, 2, 3}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_answer_does_not_wait_for_those_that_do_not_come) {
  add(1, 64);
  io.run(); // Until the timer has fired.
  BOOST_TEST(handed_over == (numbers{1}), boost::test_tools::per_element());
  io.restart();
  add(2, 64);
  io.run();
  BOOST_TEST(handed_over == (numbers{1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(who_gets_an_answer_may_add_another) {
  batch->add_or_hand_over_all([this] { add(2, 1); }, 1);
  BOOST_TEST(handed_over == (numbers{2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
