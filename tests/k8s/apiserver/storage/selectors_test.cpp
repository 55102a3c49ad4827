#include "k8s/apiserver/storage/selectors.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(selectors_test)

namespace {

/// Of the value, and of an object whose value was dropped: always the same.
bool matches(const selector& s, const json& object) {
  auto cache = std::make_shared<value_cache>(0);
  auto stored = cache->make_stored_object(object, 1);
  { value_cache::pin pinned{*cache}; }
  bool answer = s.matches(object);
  BOOST_TEST(s.matches(*stored) == answer);
  BOOST_TEST(cache->size() == 0u);
  return answer;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_label_selector_matches_if_all_of_its_terms_do) {
  const json object = json::parse(
      R"({"metadata":{"labels":{"a":"1","b":"x","c":"","n":"10"}}})");
  struct row {
    const char* selector;
    bool matches;
  } rows[] = {
      {"", true},
      {"a", true},
      {"z", false},
      {"!a", false},
      {"!z", true},
      {"a=1", true},
      {"a==1", true},
      {"a = 1", true},
      {"a=2", false},
      {"z=1", false},
      {"c=", true},
      {"a!=2", true},
      {"a!=1", false},
      {"z!=1", true}, // A label that is absent differs.
      {"b in (x,y)", true},
      {"b in (y)", false},
      {"z in (x)", false},
      {"b notin (y,z)", true},
      {"b notin (x)", false},
      {"z notin (x)", true},
      {"n>9", true},
      {"n>10", false},
      {"n<11", true},
      {"n<10", false},
      {"z>1", false},
      {"a=1,b=x", true},
      {"a=1,b=y", false},
      {" a = 1 , !z , b in ( x , y ) ", true},
  };
  for (const auto& r : rows) {
    auto parsed = parse_label_selector(r.selector);
    BOOST_TEST_CONTEXT(r.selector) {
      BOOST_REQUIRE(bool(parsed));
      selector s;
      s.labels = *parsed;
      BOOST_TEST(matches(s, object) == r.matches);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_field_selector_compares_values_at_paths) {
  const json object = json::parse(
      R"({"metadata":{"name":"a"},"spec":{"n":3},"status":{"phase":"Running"}})");
  const std::vector<std::string> known{"metadata.name", "spec.n",
                                       "status.phase", "status.absent"};
  struct row {
    const char* selector;
    bool matches;
  } rows[] = {
      {"", true},
      {"metadata.name=a", true},
      {"metadata.name==a", true},
      {"metadata.name=b", false},
      {"metadata.name!=b", true},
      {"metadata.name!=a", false},
      {"spec.n=3", true},
      {"status.absent=", true},
      {"status.absent!=", false},
      {"metadata.name=a,status.phase=Running", true},
      {"metadata.name=a,status.phase!=Running", false},
      {",metadata.name=a,", true},
      {"metadata.name=a\\,b\\=c\\\\", false},
      {"metadata.name!=a\\,b\\=c\\\\,spec.n=3", true},
  };
  for (const auto& r : rows) {
    auto parsed = parse_field_selector(r.selector, known, "pods");
    BOOST_TEST_CONTEXT(r.selector) {
      BOOST_REQUIRE(bool(parsed));
      selector s;
      s.fields = *parsed;
      BOOST_TEST(matches(s, object) == r.matches);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_selector_is_a_bad_request) {
  for (const char* wrong : {"=a", "!", ",a", "a b", "a in x", "a in (x",
                            "a near (x)", "a=1 b=2", "a inside (x)"}) {
    auto parsed = parse_label_selector(wrong);
    BOOST_REQUIRE_MESSAGE(!parsed, wrong);
    BOOST_TEST(parsed.error().code == 400);
  }
  for (const char* wrong :
       {"a", "unknown=1", "metadata.name", "metadata.name!==a",
        "metadata.name===a", "metadata.name=a=b", "metadata.name=\\a",
        "metadata.name=a\\"}) {
    auto parsed = parse_field_selector(wrong, {"metadata.name"}, "pods");
    BOOST_REQUIRE_MESSAGE(!parsed, wrong);
    BOOST_TEST(parsed.error().code == 400);
  }
}

BOOST_AUTO_TEST_SUITE_END()
