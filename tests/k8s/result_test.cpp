#include "k8s/result.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(result_test)

BOOST_AUTO_TEST_CASE(a_code_is_printed_by_its_name) {
  const char* names[] = {
      "unreachable",  "timeout", "overloaded",      "conflict",  "exists",
      "not_found",    "expired", "unauthenticated", "forbidden", "invalid",
      "server_error", "garbage", "too_large",       "cancelled", "bug"};
  int code = 0;
  for (const auto* name : names)
    BOOST_TEST(to_string(static_cast<ec>(code++)) == std::string{name});
  BOOST_TEST(code == static_cast<int>(ec::bug) + 1);
}

BOOST_AUTO_TEST_CASE(a_value_or_an_error_of_any_type) {
  struct refusal {
    int status = 0;
  };
  result<std::string, refusal> text = std::string{"a"};
  BOOST_REQUIRE(bool(text));
  BOOST_TEST(*text == "a");
  text = refusal{404};
  BOOST_REQUIRE(!text);
  BOOST_TEST(text.error().status == 404);
}

BOOST_AUTO_TEST_SUITE_END()
