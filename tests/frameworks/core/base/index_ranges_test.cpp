#include "frameworks/core/base/index_ranges.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using troupe::core::index_ranges;

BOOST_AUTO_TEST_SUITE(index_ranges_test)

BOOST_AUTO_TEST_CASE(indices_join_to_ranges_in_any_order) {
  struct row {
    std::vector<int> indices;
    const char* text;
  } rows[] = {
      {{}, ""},           {{0}, "0"},         {{0, 1, 2}, "0-2"},
      {{2, 1, 0}, "0-2"}, {{0, 2, 1}, "0-2"}, {{7, 0, 3, 1, 2}, "0-3,7"},
      {{5, 5}, "5"},      {{-1}, ""},         {{1, 3, 5, 4}, "1,3-5"},
  };
  for (const auto& r : rows) {
    index_ranges all;
    for (int i : r.indices)
      all.insert(i);
    BOOST_TEST(all.text() == r.text);
    auto read = index_ranges::parse(r.text);
    BOOST_REQUIRE(read);
    BOOST_TEST((*read == all));
    for (int i = -2; i < 9; ++i) {
      bool in = false;
      for (int j : r.indices)
        in = in || (i == j && i >= 0);
      BOOST_TEST(all.contains(i) == in);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_such_text_is_refused) {
  for (const char* bad : {",", "1,", ",1", "a", "1-", "-1", "2-1", "1,1", "3,1",
                          "0-2,2", "1 ", "99999999999", "1--2"})
    BOOST_TEST(!index_ranges::parse(bad), bad);
}

BOOST_AUTO_TEST_CASE(those_below_a_number_are_counted) {
  auto all = *index_ranges::parse("0-3,7");
  int expected[] = {0, 1, 2, 3, 4, 4, 4, 4, 5, 5};
  for (int end = 0; end < 10; ++end)
    BOOST_TEST(all.count_below(end) == expected[end]);
}

BOOST_AUTO_TEST_SUITE_END()
