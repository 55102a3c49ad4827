#include "frameworks/core/base/shared_value.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using troupe::core::shared_value;

BOOST_AUTO_TEST_SUITE(shared_value_test)

BOOST_AUTO_TEST_CASE(without_a_value_it_is_the_default) {
  shared_value<std::string> none;
  BOOST_TEST(none->empty());
  BOOST_TEST((none == shared_value<std::string>{""}));
  BOOST_TEST((none != shared_value<std::string>{"a"}));
}

BOOST_AUTO_TEST_CASE(copies_share_it_until_one_gets_another) {
  shared_value<std::string> a{"one"};
  auto b = a;
  BOOST_TEST(&*a == &*b);
  b = std::string{"two"};
  BOOST_TEST(*a == "one");
  BOOST_TEST(*b == "two");
  BOOST_TEST((a != b));
  BOOST_TEST((a == shared_value<std::string>{"one"}));
}

BOOST_AUTO_TEST_SUITE_END()
