#include "frameworks/di/requests/replica_response.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(replica_response_test)

using namespace troupe::frameworks::di;

BOOST_AUTO_TEST_CASE(null_is_not_an_empty_list) {
  BOOST_TEST(
      to_json_text({"ns", "c", std::vector<std::string>{}, std::nullopt})
      == R"({"namespace":"ns","coordinator":"c","collectors":[],"learners":null})");
  BOOST_TEST(
      to_json_text(
          {"ns", "c", std::nullopt, std::vector<std::string>{"a", "b"}})
      == R"({"namespace":"ns","coordinator":"c","collectors":null,"learners":["a","b"]})");
}

BOOST_AUTO_TEST_CASE(bodies) {
  BOOST_TEST(to_response_body({200, "fine", "[1]"})
             == R"({"success":true,"code":0,"message":"fine","data":[1]})");
  BOOST_TEST(to_response_body({404, "say \"no\""})
             == R"({"success":false,"code":1,"message":"say \"no\"",)"
                R"("data":null})");
}

BOOST_AUTO_TEST_CASE(lists_are_joined_without_errors) {
  auto r = join_list_responses(
      {{200, "", "{\"a\":1}"}, {404, "none"}, {200, "", "{}"}});
  BOOST_TEST(r.status == 200);
  BOOST_TEST(r.message == "successfully get replicas");
  BOOST_TEST(r.data == "[{\"a\":1},{}]");
  BOOST_TEST(join_list_responses({}).data == "[]");
  BOOST_TEST(join_list_responses({{200, "", "{}"}, {503, "later"}}).status
             == 503);
}

BOOST_AUTO_TEST_SUITE_END()
