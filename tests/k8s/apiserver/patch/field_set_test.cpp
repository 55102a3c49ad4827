#include "k8s/apiserver/patch/field_set.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(field_set_test)

namespace {

field_set parsed(const char* text) {
  return parse_fields_v1(json::parse(text));
}

std::string written(const field_set& fields) {
  return to_fields_v1(fields).dump();
}

} // namespace

BOOST_AUTO_TEST_CASE(the_format_reads_and_writes_the_same) {
  for (auto text : {
           R"({})",
           R"({"f:a":{}})",
           R"({"f:a":{".":{},"f:b":{}}})",
           R"({"f:a":{"k:{\"name\":\"x\"}":{".":{},"f:name":{}}}})",
           R"({"f:a":{"v:\"x\"":{}}})",
       })
    BOOST_TEST(written(parsed(text)) == text);
  BOOST_TEST(written(parsed(R"("nothing of the kind")")) == "{}");
}

BOOST_AUTO_TEST_CASE(sets_are_added_subtracted_and_intersected) {
  struct row {
    const char* a;
    const char* b;
    const char* sum;
    const char* difference;
    const char* intersection;
  };
  const row rows[] = {
      {R"({"f:a":{}})", R"({"f:b":{}})", R"({"f:a":{},"f:b":{}})",
       R"({"f:a":{}})", "{}"},
      {R"({"f:a":{},"f:b":{}})", R"({"f:b":{}})", R"({"f:a":{},"f:b":{}})",
       R"({"f:a":{}})", R"({"f:b":{}})"},
      // A field and what is in it are apart.
      {R"({"f:a":{".":{},"f:b":{}}})", R"({"f:a":{}})",
       R"({"f:a":{".":{},"f:b":{}}})", R"({"f:a":{"f:b":{}}})",
       R"({"f:a":{}})"},
      {R"({"f:a":{"f:b":{},"f:c":{}}})", R"({"f:a":{"f:b":{}}})",
       R"({"f:a":{"f:b":{},"f:c":{}}})", R"({"f:a":{"f:c":{}}})",
       R"({"f:a":{"f:b":{}}})"},
      {R"({"f:a":{"f:b":{}}})", R"({"f:a":{"f:b":{}}})",
       R"({"f:a":{"f:b":{}}})", "{}", R"({"f:a":{"f:b":{}}})"},
  };
  for (const auto& r : rows) {
    auto sum = parsed(r.a), difference = parsed(r.a);
    add_fields(sum, parsed(r.b));
    subtract_fields(difference, parsed(r.b));
    BOOST_TEST(written(sum) == r.sum);
    BOOST_TEST(written(difference) == r.difference);
    BOOST_TEST(written(intersect_fields(parsed(r.a), parsed(r.b)))
               == r.intersection);
  }
}

BOOST_AUTO_TEST_CASE(members_are_named_as_conflicts_name_them) {
  auto paths = paths_of_members(parsed(
      R"({"f:a":{".":{},"f:b":{}},"f:l":{"v:\"x\"":{}},)"
      R"("f:p":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{"f:name":{}}}})"));
  const std::vector<std::string> expected{".a", ".a.b", R"(.l[="x"])",
                                          R"(.p[port=80,protocol="TCP"].name)"};
  BOOST_TEST(paths == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
