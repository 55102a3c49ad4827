#include "k8s/apiserver/tables/json_path.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(json_path_test)

BOOST_AUTO_TEST_CASE(a_path_finds_values) {
  const json object = json::parse(R"({
    "spec": {"replicas": 2, "list": ["a", "b", "c"], "a.b": 1, "x y": 2},
    "status": {"conditions": [{"type": "Ready", "status": "True"},
                              {"type": "Done", "status": "False", "n": 3}]}})");
  struct row {
    const char* path;
    const char* found; ///< JSON texts, each followed by a space.
  };
  // clang-format off
  const row rows[] = {
      {".spec.replicas", "2 "},
      {"$.spec.replicas", "2 "},
      {"spec.replicas", "2 "},
      {".spec.nothing", ""},
      {".spec.replicas.more", ""},
      {".spec.a\\.b", "1 "},
      {".spec['a.b']", "1 "},
      {".spec[\"x y\"]", "2 "},
      {".spec.list[0]", "\"a\" "},
      {".spec.list[2]", "\"c\" "},
      {".spec.list[3]", ""},
      {".spec.list[-1]", "\"c\" "},
      {".spec.list[0:2]", "\"a\" \"b\" "},
      {".spec.list[1:]", "\"b\" \"c\" "},
      {".spec.list[:-1]", "\"a\" \"b\" "},
      {".spec.list[-1:]", "\"c\" "},
      {".spec.list[*]", "\"a\" \"b\" \"c\" "},
      {".spec.list.*", "\"a\" \"b\" \"c\" "},
      {".spec[0]", ""},
      {".status.conditions[*].type", "\"Ready\" \"Done\" "},
      {".status.conditions[?(@.type==\"Ready\")].status", "\"True\" "},
      {".status.conditions[?(@.type=='Done')].status", "\"False\" "},
      {".status.conditions[?(@.type != \"Ready\")].type", "\"Done\" "},
      {".status.conditions[?(@.n==3)].type", "\"Done\" "},
      {".status.conditions[?(@.type==\"Lost\")].status", ""},
      {".status.conditions[?(@.type)].status", ""},
      {".status.conditions[?(@.type==\"]\")].status", ""},
  };
  // clang-format on
  for (const auto& r : rows) {
    std::string found;
    for (const auto* value : evaluate_json_path(object, r.path))
      found += value->dump() + " ";
    BOOST_TEST(found == r.found, r.path);
  }
}

BOOST_AUTO_TEST_SUITE_END()
