#include "k8s/apiserver/storage/stored_object.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(stored_object_test)

namespace {

json object(int i) {
  return {{"apiVersion", "v1"}, {"i", i}};
}

const std::size_t text_size = to_text(object(0)).size();

} // namespace

BOOST_AUTO_TEST_CASE(an_object_of_its_own_has_text_value_and_version) {
  stored_object one{object(7), 41};
  BOOST_TEST(one.text() == R"({"apiVersion":"v1","i":7})");
  BOOST_TEST(one.value() == object(7));
  BOOST_TEST(one.api_version() == "v1");
  BOOST_TEST(one.resource_version() == 41u);
}

BOOST_AUTO_TEST_CASE(values_beyond_the_limit_are_dropped_and_parsed_again) {
  auto cache = std::make_shared<value_cache>(2 * text_size);
  std::vector<stored_object_ptr> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(cache->make_stored_object(object(i), 1));
  BOOST_TEST(cache->size() == 4 * text_size); // Not in the middle of anything.
  { value_cache::pin pinned{*cache}; }
  BOOST_TEST(cache->size() == 2 * text_size);
  for (int i = 0; i < 4; ++i)
    BOOST_TEST(all[i]->value() == object(i));
  BOOST_TEST(cache->size() == 4 * text_size);
}

BOOST_AUTO_TEST_CASE(nothing_is_dropped_while_a_value_may_be_in_use) {
  auto cache = std::make_shared<value_cache>(0);
  value_cache::pin outer{*cache};
  auto one = cache->make_stored_object(object(1), 1);
  const auto& value = one->value();
  { value_cache::pin inner{*cache}; }
  BOOST_TEST(&one->value() == &value);
  BOOST_TEST(cache->size() == text_size);
}

BOOST_AUTO_TEST_CASE(a_value_read_in_passing_is_not_kept) {
  auto cache = std::make_shared<value_cache>(0);
  auto one = cache->make_stored_object(object(1), 1);
  { value_cache::pin pinned{*cache}; }
  auto i = one->read_value([](const json& v) { return v["i"].get<int>(); });
  BOOST_TEST(i == 1);
  BOOST_TEST(cache->size() == 0u);
}

BOOST_AUTO_TEST_CASE(objects_that_are_gone_count_until_their_turn) {
  auto cache = std::make_shared<value_cache>(text_size);
  for (int i = 0; i < 3; ++i)
    cache->make_stored_object(object(i), 1);
  { value_cache::pin pinned{*cache}; }
  BOOST_TEST(cache->size() == text_size);
}

BOOST_AUTO_TEST_SUITE_END()
