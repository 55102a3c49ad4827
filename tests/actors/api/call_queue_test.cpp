#include "actors/api/call_queue.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(call_queue_test)

BOOST_AUTO_TEST_CASE(keys_take_turns_and_each_keeps_its_order) {
  struct row {
    const char* pushed; ///< Keys; in upper case: in front.
    const char* popped; ///< Key and number of the push, from 0.
  } rows[] = {
      {"", ""},
      {"a", "a0 "},
      {"aaa", "a0 a1 a2 "},
      {"aaabc", "a0 b3 c4 a1 a2 "},
      {"abab", "a0 b1 a2 b3 "},
      {"aA", "a1 a0 "},
      {"abB", "a0 b2 b1 "},
      {"abC", "c2 a0 b1 "},
  };
  for (const auto& r : rows) {
    call_queue q;
    std::uint64_t number = 0;
    for (char c : std::string{r.pushed}) {
      bool front = c >= 'A' && c <= 'Z';
      api_call call;
      call.key = std::string(1, front ? static_cast<char>(c - 'A' + 'a') : c);
      call.tag = number++;
      if (front)
        q.push_front(std::move(call));
      else
        q.push(std::move(call));
    }
    std::string popped;
    while (!q.empty()) {
      auto size = q.size();
      auto call = q.pop_call_of_next_key();
      popped += call.key + std::to_string(call.tag) + " ";
      BOOST_TEST(q.size() == size - 1);
    }
    BOOST_TEST(popped == r.popped, r.pushed);
  }
}

BOOST_AUTO_TEST_SUITE_END()
