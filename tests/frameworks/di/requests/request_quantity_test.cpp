#include "frameworks/di/requests/request_quantity.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(request_quantity_test)

namespace {

using troupe::frameworks::di::read_request_json;
using troupe::frameworks::di::read_request_quantity;

} // namespace

BOOST_AUTO_TEST_CASE(amounts) {
  struct row {
    const char* json;
    const char* text;
    std::int64_t rounded_up;
  };
  const row rows[] = {
      {"null", "", 0},
      {"0", "", 0},
      {R"("0")", "", 0},
      {"2", "2", 2},
      {"0.5", "500m", 1},
      {R"("500m")", "500m", 1},
      {R"("1.5")", "1500m", 2},
      {R"("0.1Gi")", "107374182400m", 107374183},
      {R"(" 4Gi ")", "4Gi", 4LL << 30},
      {R"("1e3")", "1k", 1000},
      {"-2", "-2", -2},
  };
  for (const auto& x : rows) {
    auto q = read_request_quantity(*read_request_json(x.json));
    BOOST_REQUIRE(q);
    BOOST_TEST(q->text == x.text);
    BOOST_TEST(q->rounded_up == x.rounded_up, x.json);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_amount) {
  const std::string form = "quantities must match the regular expression "
                           "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const std::string suffix = "unable to parse quantity's suffix";
  const std::pair<const char*, std::string> rows[] = {
      {R"("")", form},
      {R"(" ")", form},
      {R"("two")", form},
      {R"("1.1.M")", form},
      {R"("1+1.0M")", form},
      {R"("10GB")", form},
      {R"("4g")", form},
      {R"("Mi")", form},
      {R"("1 Gi")", form},
      {"true", form},
      {"{}", form},
      {"[1]", form},
      {R"("64K")", suffix},
      {R"("1ki")", suffix},
      {R"("1MM")", suffix},
      {R"("-3.01i")", suffix},
      {R"("99E")", "unable to parse numeric part of quantity"},
  };
  for (const auto& [json, message] : rows) {
    auto q = read_request_quantity(*read_request_json(json));
    BOOST_REQUIRE(!q);
    BOOST_TEST(q.error().message == message, json);
  }
}

BOOST_AUTO_TEST_SUITE_END()
