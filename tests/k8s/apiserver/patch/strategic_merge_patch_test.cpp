#include "k8s/apiserver/patch/strategic_merge_patch.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(strategic_merge_patch_test)

BOOST_AUTO_TEST_CASE(strategic_merges_follow_the_merge_keys) {
  struct {
    const char *what, *target, *patch, *expected;
  } rows[] = {
      {"objects merge, null removes", R"({"a":{"b":1,"c":2}})",
       R"({"a":{"b":null,"d":3}})", R"({"a":{"c":2,"d":3}})"},
      {"plain lists are replaced", R"({"command":["a","b"]})",
       R"({"command":["c"]})", R"({"command":["c"]})"},
      {"containers by name",
       R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]})",
       R"({"containers":[{"name":"b","image":"3"},{"name":"c"}]})",
       R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"3"},
        {"name":"c"}]})"},
      {"an item is deleted", R"({"env":[{"name":"A"},{"name":"B"}]})",
       R"({"env":[{"name":"A","$patch":"delete"}]})",
       R"({"env":[{"name":"B"}]})"},
      {"container ports by containerPort",
       R"({"ports":[{"containerPort":1,"name":"x"}]})",
       R"({"ports":[{"containerPort":1,"name":"y"}]})",
       R"({"ports":[{"containerPort":1,"name":"y"}]})"},
      {"service ports by port", R"({"ports":[{"port":1,"name":"x"}]})",
       R"({"ports":[{"port":2}]})", R"({"ports":[{"port":2},
        {"port":1,"name":"x"}]})"},
      {"new items come before old ones that are not named",
       R"({"env":[{"name":"A"},{"name":"B"},{"name":"C"}]})",
       R"({"env":[{"name":"B","value":"1"},{"name":"D"}]})",
       R"({"env":[{"name":"A"},{"name":"B","value":"1"},{"name":"D"},
        {"name":"C"}]})"},
      {"owners by uid", R"({"ownerReferences":[{"uid":"1"},{"uid":"2"}]})",
       R"({"ownerReferences":[{"uid":"1","$patch":"delete"}]})",
       R"({"ownerReferences":[{"uid":"2"}]})"},
      {"finalizers are a set", R"({"finalizers":["a"]})",
       R"({"finalizers":["a","b"]})", R"({"finalizers":["a","b"]})"},
      {"and lose single ones", R"({"finalizers":["a","b"]})",
       R"({"$deleteFromPrimitiveList/finalizers":["a"]})",
       R"({"finalizers":["b"]})"},
      {"an order is kept", R"({"env":[{"name":"A"},{"name":"B"}]})",
       R"({"$setElementOrder/env":[{"name":"C"},{"name":"A"},{"name":"B"}],
        "env":[{"name":"C"}]})",
       R"({"env":[{"name":"C"},{"name":"A"},{"name":"B"}]})"},
      {"a map is replaced", R"({"m":{"a":1}})",
       R"({"m":{"$patch":"replace","b":2}})", R"({"m":{"b":2}})"},
      {"keys are retained", R"({"strategy":{"a":1,"type":"x"}})",
       R"({"strategy":{"$retainKeys":["type"],"type":"y"}})",
       R"({"strategy":{"type":"y"}})"},
      {"a list is replaced", R"({"env":[{"name":"A"}]})",
       R"({"env":[{"$patch":"replace"},{"name":"B"}]})",
       R"({"env":[{"name":"B"}]})"},
  };
  for (const auto& row : rows) {
    std::string fault;
    auto got =
        strategic_merge(json::parse(row.target), json::parse(row.patch), fault);
    BOOST_TEST(fault == "");
    BOOST_TEST(got == json::parse(row.expected), row.what << ": " << got);
  }
}

BOOST_AUTO_TEST_CASE(unknown_directives_are_refused) {
  std::string fault;
  strategic_merge(json::parse(R"({"env":[{"name":"A"}]})"),
                  json::parse(R"({"env":[{"name":"A","$patch":"jump"}]})"),
                  fault);
  BOOST_TEST(fault.find("unknown patch type: jump") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
