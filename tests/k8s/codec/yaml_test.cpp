#include "k8s/codec/yaml.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(yaml_test)

namespace {

/// The value of `key:` followed by `text`.
json value(const std::string& text) {
  auto read = parse_yaml("key: " + text + "\n", "f");
  BOOST_REQUIRE(read);
  BOOST_REQUIRE(read->size() == 1u);
  return (*read)[0].value["key"];
}

std::string complaint(const std::string& text) {
  auto read = parse_yaml(text, "f");
  return read ? "" : read.error().message;
}

} // namespace

BOOST_AUTO_TEST_CASE(plain_scalars_get_the_types_that_kubectl_gives_them) {
  const std::pair<const char*, json> table[] = {
      {"true", true},
      {"False", false},
      {"yes", true},
      {"off", false},
      {"y", "y"},
      {"null", nullptr},
      {"~", nullptr},
      {"", nullptr},
      {"42", 42},
      {"-7", -7},
      {"+7", 7},
      {"0", 0},
      {"0644", 420},
      {"0o17", 15},
      {"0x1F", 31},
      {"0b101", 5},
      {"1_000", 1000},
      {"089", 89.0},
      {"9223372036854775807", 9223372036854775807},
      {"18446744073709551615", 18446744073709551615u},
      {"1.5", 1.5},
      {".5", 0.5},
      {"1e3", 1000.0},
      {"-2.5e-1", -0.25},
      {"1.2.3", "1.2.3"},
      {"1e400", "1e400"},
      {".inf", ".inf"},
      {"500m", "500m"},
      {"1Gi", "1Gi"},
      {"12:30:45", "12:30:45"},
      {"2026-01-31", "2026-01-31"},
      {"-", "-"},
  };
  for (const auto& [text, want] : table)
    BOOST_TEST_CONTEXT(text)
  BOOST_TEST(parse_yaml_scalar(text, "?") == want);
}

BOOST_AUTO_TEST_CASE(quoted_and_block_scalars_are_strings) {
  BOOST_TEST(value("\"42\"") == json("42"));
  BOOST_TEST(value("'true'") == json("true"));
  BOOST_TEST(value("''") == json(""));
  BOOST_TEST(value("|\n  1\n  2") == json("1\n2\n"));
  BOOST_TEST(value(">-\n  1\n  2") == json("1 2"));
  BOOST_TEST(value("!!str 42") == json("42"));
  BOOST_TEST(value("!!int 42") == json(42));
}

BOOST_AUTO_TEST_CASE(json_is_read_as_well) {
  auto read = parse_yaml(R"({"a": [1, "1", null, {"b": true}]})", "f");
  BOOST_REQUIRE(read);
  BOOST_TEST((*read)[0].value
             == json::parse(R"({"a": [1, "1", null, {"b": true}]})"));
}

BOOST_AUTO_TEST_CASE(json_may_break_lines_where_yaml_may_not) {
  auto read = parse_yaml("\n{\"a\"\n:1,\n\"b\":{\"a\":2}}\n", "f");
  BOOST_REQUIRE(read);
  BOOST_TEST((*read)[0].value == json({{"a", 1}, {"b", {{"a", 2}}}}));
  BOOST_TEST((*read)[0].where == "f:2");
  BOOST_TEST(complaint(R"({"a": {"b": 1, "b": 2}})").find("the key b twice")
             != std::string::npos);
  auto deep = "{\"a\":" + std::string(1000, '[') + std::string(1000, ']') + "}";
  BOOST_TEST(complaint(deep) != "");
}

BOOST_AUTO_TEST_CASE(lines_may_end_as_anywhere) {
  for (const char* text : {"a: [1,\n2]\nb: c\n", "a: [1,\r\n2]\r\nb: c\r\n",
                           "a: [1,\r2]\rb: c\r"}) {
    auto read = parse_yaml(text, "f");
    BOOST_REQUIRE(read);
    BOOST_TEST((*read)[0].value == json({{"a", {1, 2}}, {"b", "c"}}));
  }
}

BOOST_AUTO_TEST_CASE(anchors_and_merges_are_carried_out) {
  auto read = parse_yaml("base: &b {x: 1, y: 2}\n"
                         "same: *b\n"
                         "more: {<<: *b, y: 3}\n"
                         "word: &w yes\n"
                         "keys: {*w : *w, \"<<\": 1}\n",
                         "f");
  BOOST_REQUIRE(read);
  BOOST_TEST((*read)[0].value["same"] == json({{"x", 1}, {"y", 2}}));
  BOOST_TEST((*read)[0].value["more"] == json({{"x", 1}, {"y", 3}}));
  BOOST_TEST((*read)[0].value["keys"] == json({{"yes", true}, {"<<", 1}}));
}

BOOST_AUTO_TEST_CASE(a_file_of_anchors_that_explodes_is_refused) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    auto before = "*a" + std::to_string(i - 1);
    auto name = "a" + std::to_string(i);
    text += name + ": &" + name + " [";
    for (int j = 0; j < 10; ++j)
      text += (j == 0 ? "" : ", ") + before;
    text += "]\n";
  }
  BOOST_TEST(complaint(text).find("anchors repeat too much")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_no_value_is_refused_with_its_line) {
  const std::pair<const char*, const char*> table[] = {
      {", a: b", "f:1: not YAML"},
      {"a: b\n---\n, kind: List\n", "f:3: not YAML"},
      {"]", "f:1: not YAML"},
      {"a: 1\nb: \xd0\xcd\n", "f:2: has a value that is not UTF-8"},
      {"\xd0\xcd: b\n", "f:1: has a key that is not UTF-8"},
      {"a: 1\n[b]: c\n", "f:2: has a key that is no plain word"},
      {"a: 1\n~: c\n", "f:2: has a key that is no plain word"},
      {"a: 1\nb: &x [*x]\n", "f:2: refers to a value that contains it"},
      {"a: 1\n<<: b\n", "f:1: merges (<<) what is no mapping"},
  };
  for (const auto& [text, want] : table)
    BOOST_TEST_CONTEXT(text)
  BOOST_TEST(complaint(text).find(want) == 0u);
  BOOST_TEST(complaint(std::string{"[a\0", 3})
             == "f: is a binary file, not YAML");
}

BOOST_AUTO_TEST_CASE(documents_are_read_apart_and_empty_ones_left_out) {
  auto read =
      parse_yaml("---\n---\na: 1\n---\n# nothing\n---\nb\n...\n---\n", "f");
  BOOST_REQUIRE(read);
  BOOST_REQUIRE_EQUAL(read->size(), 2u);
  BOOST_TEST((*read)[0].where == "f:3");
  BOOST_TEST((*read)[1].value == json("b"));
}

BOOST_AUTO_TEST_CASE(a_field_is_found_by_its_path) {
  auto read = parse_yaml("# a job\n"
                         "kind: List\n"
                         "items:\n"
                         "- metadata: {name: a}\n"
                         "  spec:\n"
                         "    args:\n"
                         "    - x\n"
                         "    - - y\n"
                         "    shared: &s\n"
                         "      b: 1\n"
                         "    none:\n"
                         "    other: *s\n",
                         "f.yaml");
  BOOST_REQUIRE(read);
  const auto& d = read->front();
  const std::pair<const char*, const char*> rows[] = {
      {"kind", "f.yaml:2"},
      {"items", "f.yaml:3"},
      {"items[0].metadata.name", "f.yaml:4"},
      {"items[0].spec.args[0]", "f.yaml:7"},
      {"items[0].spec.args[1][0]", "f.yaml:8"},
      {"items[0].spec.shared.b", "f.yaml:10"},
      {"items[0].spec.none", "f.yaml:11"},
      {"items[0].spec.other.b", "f.yaml:12"},
      {"items[0].spec.missing", "f.yaml:5"},
      {"items[1].spec", "f.yaml:3"},
      {"status.phase", "f.yaml:2"},
      {"", "f.yaml:2"},
  };
  for (const auto& [path, place] : rows)
    BOOST_TEST(nearest_known_location_of_field(d, path) == place, path);
  auto item = subdocument_of_field(d, "items[0]", d.value["items"][0]);
  BOOST_TEST(item.where == "f.yaml:4");
  BOOST_TEST(nearest_known_location_of_field(item, "spec.args[0]")
             == "f.yaml:7");
  BOOST_TEST(nearest_known_location_of_field(item, "status") == "f.yaml:4");
}

BOOST_AUTO_TEST_CASE(fields_of_json_have_the_place_of_the_document) {
  auto read = parse_yaml("\n{\"a\":\n{\"b\": 1}}", "f.json");
  BOOST_REQUIRE(read);
  BOOST_TEST(nearest_known_location_of_field(read->front(), "a.b")
             == "f.json:2");
}

BOOST_AUTO_TEST_CASE(a_caller_may_allow_less) {
  const yaml_limits limits{8, 3};
  auto is_read = [&](const char* text) {
    return bool(parse_yaml(text, "x", limits));
  };
  BOOST_TEST(is_read("a: {b: [1, 2]}"));
  BOOST_TEST(is_read(R"({"a": {"b": [1, 2]}})"));
  BOOST_TEST(!is_read("[1, 2, 3, 4, 5, 6, 7, 8]"));
  BOOST_TEST(!is_read(R"({"a": 1, "b": 2, "c": 3, "d": 4})"));
  BOOST_TEST(!is_read("[&a [1, 2], *a, *a]"));
  BOOST_TEST(!is_read("[[[[[]]]]]"));
  BOOST_TEST(!is_read(R"({"a": {"a": {"a": {"a": {}}}}})"));
}

BOOST_AUTO_TEST_SUITE_END()
