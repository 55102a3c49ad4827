#include "k8s/apiserver/base/object_metadata.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(object_metadata_test)

BOOST_AUTO_TEST_CASE(which_names_each_rule_allows) {
  const std::string letters63(63, 'a');
  const std::string long_name =
      letters63 + "." + letters63 + "." + letters63 + "." + letters63;
  struct row {
    std::string name;
    bool label, subdomain, dns1035, path_segment;
  };
  // clang-format off
  const row rows[] = {
      {"a",                 true,  true,  true,  true},
      {"a-1",               true,  true,  true,  true},
      {"1a",                true,  true,  false, true},
      {"a.b",               false, true,  false, true},
      {"a..b",              false, false, false, true},
      {"-a",                false, false, false, true},
      {"a-",                false, false, false, true},
      {"A",                 false, false, false, true},
      {"a_b",               false, false, false, true},
      {"system:a",          false, false, false, true},
      {"",                  false, false, false, true}, // Required elsewhere.
      {letters63,           true,  true,  true,  true},
      {letters63 + "a",     false, true,  false, true},
      {long_name,           false, false, false, true}, // 255 characters.
      {"..",                false, false, false, false},
      {".",                 false, false, false, false},
      {"a/b",               false, false, false, false},
      {"a%b",               false, false, false, false},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT("'" << r.name << "'") {
      BOOST_TEST(dns1123_label_error(r.name).empty() == r.label);
      BOOST_TEST(dns1123_subdomain_error(r.name).empty() == r.subdomain);
      BOOST_TEST(dns1035_label_error(r.name).empty() == r.dns1035);
      BOOST_TEST(path_segment_error(r.name).empty() == r.path_segment);
    }
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_labels_owners_and_annotations) {
  const std::string long_text(64, 'a');
  const json owner{{"apiVersion", "v1"},
                   {"kind", "K"},
                   {"name", "n"},
                   {"uid", "u"},
                   {"controller", true}};
  auto nameless = owner;
  nameless.erase("name");
  auto event = owner;
  event["kind"] = "Event";
  struct row {
    const char* key; ///< Of the metadata.
    json value;
    const char* field; ///< Of the error; "": none.
    const char* part;  ///< Of its message.
  };
  // clang-format off
  const row rows[] = {
      {"labels", {{"a", ""}}, "", ""},
      {"labels", {{"x.io/a_B.c", "1-x"}}, "", ""},
      {"labels", {{"a", "-b"}}, "metadata.labels", "a valid label must be"},
      {"labels", {{"a", long_text}}, "metadata.labels", "must be no more than 63 bytes"},
      {"labels", {{"a b", "c"}}, "metadata.labels", "name part must consist"},
      {"labels", {{"X_/a", "c"}}, "metadata.labels", "prefix part a lowercase RFC 1123"},
      {"labels", {{"x.io/", "c"}}, "metadata.labels", "name part must be non-empty"},
      {"labels", {{long_text, "c"}}, "metadata.labels", "name part must be no more than 63 bytes"},
      {"labels", {{"/a", "c"}}, "metadata.labels", "prefix part must be non-empty"},
      {"labels", {{"a/b/c", "d"}}, "metadata.labels", "a valid label key must consist"},
      {"labels", {{long_text + long_text + long_text + long_text + long_text + "/a", "c"}}, "metadata.labels", "prefix part must be no more than 253 bytes"},
      {"annotations", {{"Any.Prefix/key", "any value"}}, "", ""},
      {"annotations", {{"any key", "any value"}}, "metadata.annotations", "name part must consist"},
      {"annotations", {{"a", std::string(256 * 1024, 'x')}}, "metadata.annotations", "Too long: may not be more than 262144 bytes"},
      {"finalizers", {"x.io/y", "orphan"}, "", ""},
      {"finalizers", {"plain"}, "metadata.finalizers[0]", "neither a standard finalizer name"},
      {"finalizers", {"orphan", "foregroundDeletion"}, "metadata.finalizers", "cannot be both set"},
      {"ownerReferences", json::array({owner}), "", ""},
      {"ownerReferences", json::array({nameless}), "metadata.ownerReferences[0].name", "Required value: must not be empty"},
      {"ownerReferences", json::array({event}), "metadata.ownerReferences[0]", "disallowed from being an owner"},
      {"ownerReferences", {{{"apiVersion", "a/b/c"}, {"kind", "K"}, {"name", "n"}, {"uid", "u"}}}, "metadata.ownerReferences[0].apiVersion", "must be <group>/<version> or <version>"},
      {"ownerReferences", {owner, {{"kind", "K"}, {"name", "n"}, {"uid", "u"}}}, "metadata.ownerReferences[1].apiVersion", "Required value: must not be empty"},
      {"ownerReferences", {owner, owner}, "metadata.ownerReferences", "Only one reference can have Controller"},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.key << " " << r.value) {
      field_errors found;
      validate_metadata_except_name({{"metadata", {{r.key, r.value}}}}, false,
                                    found);
      BOOST_TEST(found.empty() == !*r.field);
      if (*r.field && !found.empty()) {
        BOOST_TEST(found[0].field == r.field);
        BOOST_TEST(found[0].message.find(r.part) != std::string::npos);
      }
    }
}

BOOST_AUTO_TEST_CASE(finalizers_of_custom_resources_need_no_domain) {
  json object{{"metadata", {{"finalizers", {"plain", "x.io/y", "orphan"}}}}};
  field_errors found;
  validate_metadata_except_name(object, true, found);
  BOOST_TEST(found.empty());
  std::vector<std::string> warnings;
  add_unqualified_finalizer_warnings(object, warnings);
  BOOST_REQUIRE(warnings.size() == 1u);
  BOOST_TEST(warnings[0].find("\"plain\": prefer a domain-qualified")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(metadata_has_types) {
  struct row {
    json meta;
    const char* part; ///< Of the message; "": nothing is wrong.
  };
  // clang-format off
  const row rows[] = {
      {{{"name", "a"}, {"labels", nullptr}, {"generation", 1}, {"unknown", 5}}, ""},
      {"text", "metadata must be an object"},
      {{{"name", 1}}, "metadata.name must be a string"},
      {{{"labels", json::array()}}, "metadata.labels must be a map of strings"},
      {{{"labels", {{"a", 1}}}}, "metadata.labels must be a map of strings"},
      {{{"finalizers", "a"}}, "metadata.finalizers must be a list of strings"},
      {{{"ownerReferences", {"a"}}}, "metadata.ownerReferences must be a list of objects"},
      {{{"creationTimestamp", "yesterday"}}, "is not a time"},
  };
  // clang-format on
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.meta) {
      auto error = check_metadata_types(r.meta);
      BOOST_TEST(error.has_value() == (*r.part != 0));
      if (error)
        BOOST_TEST(error->message.find(r.part) != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(a_namespace_has_no_dots) {
  BOOST_TEST(namespace_name_error("a-b").empty());
  BOOST_TEST(namespace_name_error("a.b") == "must not contain dots");
}

BOOST_AUTO_TEST_SUITE_END()
