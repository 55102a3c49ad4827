#include "actors/cli/manifest.hpp"
#include "actors/cli/scalar.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::cli;
using nlohmann::json;

namespace {

/// The value of `key:` followed by `text`.
json value(const std::string& text) {
  auto read = read_manifest("key: " + text + "\n", "f");
  BOOST_REQUIRE(read);
  BOOST_REQUIRE(read->size() == 1u);
  return (*read)[0].object["key"];
}

std::string complaint(const std::string& text) {
  auto read = read_manifest(text, "f");
  return read ? "" : read.error().message;
}

} // namespace

BOOST_AUTO_TEST_SUITE(manifest)

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
  BOOST_TEST(scalar(text, "?") == want);
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

BOOST_AUTO_TEST_CASE(documents_are_separated_and_empty_ones_left_out) {
  auto read = read_manifest("---\n---\na: 1\n---\n# nothing\n---\nb: 2\n...\n",
                            "jobs.yaml");
  BOOST_REQUIRE(read);
  BOOST_REQUIRE(read->size() == 2u);
  BOOST_TEST((*read)[0].object == json({{"a", 1}}));
  BOOST_TEST((*read)[1].object == json({{"b", 2}}));
  BOOST_TEST((*read)[1].where == "jobs.yaml:7");
}

BOOST_AUTO_TEST_CASE(json_is_read_as_well) {
  auto read = read_manifest(R"({"a": [1, "1", null, {"b": true}]})", "f");
  BOOST_REQUIRE(read);
  BOOST_TEST((*read)[0].object
             == json::parse(R"({"a": [1, "1", null, {"b": true}]})"));
}

BOOST_AUTO_TEST_CASE(anchors_and_merges_are_carried_out) {
  auto read = read_manifest("base: &b {x: 1, y: 2}\n"
                            "same: *b\n"
                            "more: {<<: *b, y: 3}\n",
                            "f");
  BOOST_REQUIRE(read);
  BOOST_TEST((*read)[0].object["same"] == json({{"x", 1}, {"y", 2}}));
  BOOST_TEST((*read)[0].object["more"] == json({{"x", 1}, {"y", 3}}));
}

BOOST_AUTO_TEST_CASE(an_error_names_its_line) {
  const std::pair<const char*, const char*> table[] = {
      {"a: 1\nb: [1\n", "f:3: not YAML"},
      {"a: 1\n\tb: 2\n", "f:2: not YAML"},
      {"a: 1\na: 2\n", "f:2: has the key a twice"},
      {"- a\n", "f:1: is no Kubernetes object"},
      {"x: 1\n---\njust text\n", "f:3: is no Kubernetes object"},
      {"[a]: 1\n", "f:1: has a key that is no plain word"},
      {"<<: 5\n", "f:1: merges (<<) what is no mapping"},
      {"a: *nowhere\n", "f:1: not YAML"},
  };
  for (const auto& [text, want] : table)
    BOOST_TEST_CONTEXT(text << complaint(text))
  BOOST_TEST(complaint(text).find(want) == 0u);
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

BOOST_AUTO_TEST_CASE(a_file_that_is_not_there_is_named) {
  auto read = read_manifest_file("/nonexistent/job.yaml");
  BOOST_REQUIRE(!read);
  BOOST_TEST(read.error().message.find(
                 "/nonexistent/job.yaml: cannot be read: No such file")
             == 0u);
}

BOOST_AUTO_TEST_CASE(a_directory_is_no_manifest) {
  auto read = read_manifest_file("/tmp");
  BOOST_REQUIRE(!read);
  BOOST_TEST(read.error().message.find("/tmp: cannot be read") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
