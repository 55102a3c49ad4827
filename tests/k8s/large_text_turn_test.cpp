#include "k8s/large_text_turn.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <optional>
#include <thread>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(large_text_turn_test)

constexpr std::size_t large = most_read_beside_others + 1;

BOOST_AUTO_TEST_CASE(another_thread_begins_a_large_text_after_the_first_one) {
  std::atomic<bool> first_has_ended{false};
  std::atomic<bool> other_began_after_it{false};
  std::optional<large_text_turn> first{large};
  std::thread other{[&] {
    large_text_turn turn{large};
    other_began_after_it = first_has_ended.load();
  }};
  // A small one does not wait.
  std::thread{[] { large_text_turn turn{most_read_beside_others}; }}.join();
  first_has_ended = true;
  first.reset();
  other.join();
  BOOST_TEST(other_began_after_it.load());
}

BOOST_AUTO_TEST_CASE(the_same_thread_may_begin_another_one) {
  large_text_turn outer{large};
  large_text_turn inner{large};
}

BOOST_AUTO_TEST_SUITE_END()
