#include "k8s/node/volumes/config_sources.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(config_sources_test)

BOOST_AUTO_TEST_CASE(a_source_is_read_from_the_resource_of_its_kind) {
  for (auto [kind, plural] :
       {std::make_pair("ConfigMap", "configmaps"), {"Secret", "secrets"}}) {
    auto r = config_source_resource(kind);
    BOOST_TEST(r.plural == plural);
    BOOST_TEST(r.kind == kind);
    BOOST_TEST(r.api_version() == "v1");
  }
}

BOOST_AUTO_TEST_CASE(data_is_decoded_as_its_kind_says) {
  struct row {
    const char* kind;
    const char* object;
    std::map<std::string, std::string> data;
  };
  // clang-format off
  const row rows[] = {
      {"ConfigMap", R"({"data": {"a": "YQ==", "b": ""}})", {{"a", "YQ=="}, {"b", ""}}},
      {"ConfigMap", R"({"data": {"a": "x"}, "binaryData": {"b": "YQ=="}})", {{"a", "x"}, {"b", "a"}}},
      {"ConfigMap", R"({"binaryData": {"b": "/w=="}})", {{"b", "\xff"}}},
      {"ConfigMap", "{}", {}},
      {"Secret", R"({"data": {"a": "YQ==", "b": ""}})", {{"a", "a"}, {"b", ""}}},
      {"Secret", R"({"data": {"a": "/w=="}})", {{"a", "\xff"}}},
      // A secret has no such field.
      {"Secret", R"({"binaryData": {"b": "YQ=="}})", {}},
      {"Secret", R"({"data": null})", {}},
      {"Secret", R"({"data": {"a": "?"}})", {{"a", ""}}},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto read = decode_config_source_data(r.kind, json::parse(r.object));
    BOOST_REQUIRE(read);
    BOOST_TEST((*read == r.data), r.kind << " " << r.object);
  }
}

BOOST_AUTO_TEST_SUITE_END()
