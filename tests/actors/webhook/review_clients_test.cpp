#include "actors/webhook/review_clients.hpp"

#include <boost/test/unit_test.hpp>

using troupe::actors::review_clients;

BOOST_AUTO_TEST_SUITE(review_clients_test)

BOOST_AUTO_TEST_CASE(who_sends_reviews_and_no_reports_is_favoured) {
  review_clients c;
  BOOST_TEST(!c.is_favoured("10.0.0.1"));
  c.note_review("10.0.0.1", true);
  BOOST_TEST(c.is_favoured("10.0.0.1"));
  BOOST_TEST(!c.is_favoured("10.0.0.2"));
  c.note_review("10.0.0.1", false);
  BOOST_TEST(!c.is_favoured("10.0.0.1"));
  c.note_review("10.0.0.1", true);
  c.note_report("10.0.0.1");
  BOOST_TEST(!c.is_favoured("10.0.0.1"));
  c.note_review("10.0.0.1", true); // It was a pod.
  BOOST_TEST(!c.is_favoured("10.0.0.1"));
  c.note_report("10.0.0.3");
  c.note_review("10.0.0.3", true);
  BOOST_TEST(!c.is_favoured("10.0.0.3"));
}

BOOST_AUTO_TEST_CASE(so_many_are_remembered) {
  review_clients c;
  c.note_report("pod");
  c.note_review("pod", true);
  c.note_review("first", true);
  for (std::size_t i = 2; i < review_clients::most_reporting; ++i)
    for (int twice = 0; twice < 2; ++twice)
      c.note_report(std::to_string(i));
  BOOST_TEST(!c.is_favoured("pod"));
  c.note_report("one");
  BOOST_TEST(!c.is_favoured("pod"));
  c.note_report("two");
  BOOST_TEST(c.is_favoured("pod"));
  for (std::size_t i = 0; i < review_clients::most_reviewing; ++i)
    c.note_review("r" + std::to_string(i), true);
  BOOST_TEST(!c.is_favoured("first"));
  BOOST_TEST(c.is_favoured("r0"));
}

BOOST_AUTO_TEST_SUITE_END()
