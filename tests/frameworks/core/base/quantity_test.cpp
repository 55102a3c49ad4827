#include "frameworks/core/base/quantity.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using troupe::core::quantity;

BOOST_AUTO_TEST_SUITE(quantity_test)

BOOST_AUTO_TEST_CASE(a_quantity_is_written_in_the_shortest_exact_way) {
  struct row {
    const char* read;
    const char* written;
  } rows[] = {
      {"1", "1"},        {"+1", "1"},          {"-1", "-1"},
      {"0", "0"},        {"1.5", "1500m"},     {".5", "500m"},
      {"5.", "5"},       {"1000m", "1"},       {"1500m", "1500m"},
      {"2u", "2u"},      {"3n", "3n"},         {"0.1n", "0"},
      {"1000", "1k"},    {"1500", "1500"},     {"1e3", "1k"},
      {"1E3", "1k"},     {"1e+3", "1k"},       {"2e-3", "2m"},
      {"1E", "1E"},      {"1T", "1T"},         {"1024", "1024"},
      {"1024Ki", "1Mi"}, {"1Gi", "1Gi"},       {"1.5Gi", "1536Mi"},
      {"0.5Ki", "512"},  {"0.0005Ki", "512m"}, {"13Ei", "13Ei"},
  };
  for (const auto& r : rows) {
    auto q = quantity::parse(r.read);
    BOOST_TEST_CONTEXT(r.read) {
      BOOST_REQUIRE(q);
      BOOST_TEST(q->to_text() == r.written);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_quantity_is_multiplied) {
  struct row {
    const char* read;
    int times;
    const char* product;
  } rows[] = {{"500m", 3, "1500m"},
              {"1Gi", 1024, "1Ti"},
              {"7", 0, "0"},
              {"15E", 1000, "16E"}};
  for (const auto& r : rows) {
    auto q = *quantity::parse(r.read);
    q *= r.times;
    BOOST_TEST(q.to_text() == r.product);
  }
}

BOOST_AUTO_TEST_CASE(quantities_add_up) {
  struct row {
    std::vector<const char*> texts;
    const char* sum;
  } rows[] = {
      {{"500m", "500m"}, "1"},
      {{"500m", "1"}, "1500m"},
      {{"1Gi", "1Gi", "1Gi"}, "3Gi"},
      {{"512Mi", "512Mi"}, "1Gi"},
      {{"1Gi", "1"}, "1073741825"},
      {{"0.5", "1.25"}, "1750m"},
      {{"1e3", "1"}, "1001"},
      {{"1k", "1k"}, "2k"},
      {{"100n"}, "100n"},
      {{"0", "2Gi"}, "2Gi"},
      {{"-1", "3"}, "2"},
      {{"1000000"}, "1M"},
  };
  for (const auto& r : rows) {
    quantity sum;
    for (const auto* t : r.texts) {
      auto q = quantity::parse(t);
      BOOST_REQUIRE_MESSAGE(q, t);
      sum += *q;
    }
    BOOST_TEST(sum.to_text() == r.sum);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_quantity_is_refused) {
  for (const char* wrong : {"", "m", "1x", "1.2.3", "--1", "1e", "1e99",
                            "99999999999999999999", "17Ei"})
    BOOST_TEST(!quantity::parse(wrong), wrong);
}

BOOST_AUTO_TEST_SUITE_END()
