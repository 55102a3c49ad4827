#include "actors/jobs/made_on_use.hpp"

#include <boost/test/unit_test.hpp>

using troupe::actors::made_on_use;

namespace {

struct counters {
  int first = 7;
  int second = 0;
};

} // namespace

BOOST_AUTO_TEST_SUITE(made_on_use_test)

BOOST_AUTO_TEST_CASE(it_is_the_default_until_it_is_changed) {
  made_on_use<counters> few;
  BOOST_TEST(few->first == 7);
  few.change().second = 1;
  few.change().first += 1;
  BOOST_TEST((*few).first == 8);
  BOOST_TEST(few->second == 1);
  made_on_use<counters> other;
  BOOST_TEST(other->second == 0);
}

BOOST_AUTO_TEST_SUITE_END()
