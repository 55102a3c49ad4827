#include "k8s/text_pattern.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;

BOOST_AUTO_TEST_SUITE(text_pattern_test)

BOOST_AUTO_TEST_CASE(a_part_of_the_text_is_enough) {
  auto pattern = compile_text_pattern("^a+$|b").pattern;
  BOOST_REQUIRE(pattern);
  BOOST_TEST(matches_part_of_text(*pattern, "aa"));
  BOOST_TEST(matches_part_of_text(*pattern, "xbx"));
  BOOST_TEST(!matches_part_of_text(*pattern, "ax"));
}

BOOST_AUTO_TEST_CASE(long_texts_are_looked_at) {
  auto pattern = compile_text_pattern("^(a|b)*$").pattern;
  BOOST_REQUIRE(pattern);
  std::string text(1'000'000, 'a');
  BOOST_TEST(matches_part_of_text(*pattern, text));
  BOOST_TEST(!matches_part_of_text(*pattern, text + "c"));
}

BOOST_AUTO_TEST_CASE(no_expression_takes_more_than_its_steps_for_a_byte) {
  // By backtracking this would take until the end of the world.
  auto pattern = compile_text_pattern("^(a+)+$").pattern;
  BOOST_REQUIRE(pattern);
  BOOST_TEST(step_count(*pattern) < 10u);
  BOOST_TEST(!matches_part_of_text(*pattern, std::string(100'000, 'a') + "b"));
}

BOOST_AUTO_TEST_CASE(the_syntax_is_that_of_go) {
  struct row {
    const char* expression;
    const char* text;
    bool fits;
  };
  const row rows[] = {
      {"(?i)^abc$", "ABC", true},
      {"^a.c$", "a\nc", false},
      {"(?s)^a.c$", "a\nc", true},
      {"^\\pL+$", "\u00e4\u00f6", true},
      {"^.$", "\u00e4", true}, // Not a byte.
      {"^[[:alpha:]]+$", "ab1", false},
      {"^a$", "a\n", false},
      {"\\Aa\\z", "a", true},
      // Both ways to name a group, which is none in a class or a quotation.
      {"^(?P<x>a)$", "a", true},
      {"^(?<x>a)$", "a", true},
      {"^[(?<x>a)]+$", "(?<x>a)", true},
      {"^[]([:alpha:](?<x>]+$", "]a(?<>", true},
      {"^\\Q(?<x>a)\\E$", "(?<x>a)", true},
      {"^\\(?<x>$", "(<x>", true},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.expression) {
      auto compiled = compile_text_pattern(r.expression);
      BOOST_TEST_REQUIRE(compiled.error == "");
      BOOST_TEST(matches_part_of_text(*compiled.pattern, r.text) == r.fits);
    }
}

BOOST_AUTO_TEST_CASE(what_is_no_expression_is_no_pattern) {
  struct row {
    const char* expression;
    const char* error;
  };
  const row rows[] = {
      {"(", "error parsing regexp: missing closing ): `(`"},
      {"a)", "error parsing regexp: unexpected ): `a)`"},
      {"[a", "error parsing regexp: missing closing ]: `[a`"},
      {"(?=a)",
       "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"},
      {"(?<!a)",
       "error parsing regexp: invalid or unsupported Perl syntax: `(?<`"},
      {"a{1001}", "error parsing regexp: invalid repeat count: `{1001}`"},
      {"a**", "error parsing regexp: invalid nested repetition operator: `**`"},
      {"*a", "error parsing regexp: missing argument to repetition operator: "
             "`*`"},
      {"[b-a]", "error parsing regexp: invalid character class range: `b-a`"},
      {"\\8", "error parsing regexp: invalid escape sequence: `\\8`"},
      {"\\C", "error parsing regexp: invalid escape sequence: `\\C`"},
      {"\\", "error parsing regexp: trailing backslash at end of expression: "
             "``"},
      {"^\\pL{1,500}$",
       "expression too large: it may have 10000 steps; repeat less"},
      {"(.{0,1000}){2}", "error parsing regexp: invalid repeat count: `{2}`"},
      {"^.{0,1000}.{0,1000}$",
       "expression too large: it may have 10000 steps; repeat less"},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.expression) {
      auto compiled = compile_text_pattern(r.expression);
      BOOST_TEST(!compiled.pattern);
      BOOST_TEST(compiled.error == r.error);
    }
}

BOOST_AUTO_TEST_CASE(groups_are_found_by_their_order) {
  auto pattern =
      compile_text_pattern("step (?P<step>\\d+)(, (x)|(?<loss>y))?").pattern;
  BOOST_REQUIRE(pattern);
  const std::vector<std::string> names{"step", "", "", "loss"};
  BOOST_TEST(group_names(*pattern) == names, boost::test_tools::per_element());
  auto found = find_groups(*pattern, "at step 12, xy");
  BOOST_REQUIRE(found);
  const std::vector<std::string_view> groups{"12", ", x", "x", ""};
  BOOST_TEST(*found == groups, boost::test_tools::per_element());
  BOOST_TEST(!find_groups(*pattern, "at step x"));
  auto none = compile_text_pattern("a").pattern;
  BOOST_TEST(group_names(*none).empty());
  BOOST_TEST(find_groups(*none, "a")->empty());
}

BOOST_AUTO_TEST_SUITE_END()
