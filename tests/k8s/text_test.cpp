#include "k8s/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(text_test)

using texts = std::vector<std::string>;

BOOST_AUTO_TEST_CASE(case_is_folded_for_ascii_only) {
  BOOST_TEST(lower_case("TFJob-09_Z") == "tfjob-09_z");
  BOOST_TEST(lower_case("\xc3\x84") == "\xc3\x84");
  BOOST_TEST(equal_ignoring_case("Worker", "wORKER"));
  BOOST_TEST(!equal_ignoring_case("Worker", "Workers"));
  BOOST_TEST(!equal_ignoring_case("@", "`"));
}

BOOST_AUTO_TEST_CASE(a_prefix_is_removed_where_it_is_one) {
  std::string_view text = "v1beta1";
  BOOST_TEST(!remove_prefix(text, "v2"));
  BOOST_TEST(remove_prefix(text, "v1"));
  BOOST_TEST(text == "beta1");
  BOOST_TEST(remove_prefix(text, ""));
  BOOST_TEST(!remove_prefix(text, "beta12"));
}

BOOST_AUTO_TEST_CASE(empty_parts_are_left_out) {
  const std::pair<const char*, texts> rows[] = {
      {"", {}},
      {",", {}},
      {"a", {"a"}},
      {"a,b", {"a", "b"}},
      {",a,,b,", {"a", "b"}},
  };
  for (const auto& [text, parts] : rows)
    BOOST_TEST(split_without_empty_parts(text, ',') == parts,
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_word_is_among_others_as_a_whole) {
  BOOST_TEST(is_one_of("b", {"a", "b"}));
  BOOST_TEST(!is_one_of("b", {"a", "bc"}));
  BOOST_TEST(!is_one_of("b", {}));
}

BOOST_AUTO_TEST_CASE(blanks_are_trimmed_at_the_ends) {
  BOOST_TEST(trim_blanks(" \ta b ") == "a b");
  BOOST_TEST(trim_blanks("a") == "a");
  BOOST_TEST(trim_blanks(" \t") == "");
  BOOST_TEST(trim_blanks("") == "");
}

BOOST_AUTO_TEST_CASE(parts_are_joined) {
  BOOST_TEST(join({}, ", ") == "");
  BOOST_TEST(join({"a"}, ", ") == "a");
  BOOST_TEST(join({"a", "b", "c"}, ", ") == "a, b, c");
}

BOOST_AUTO_TEST_CASE(the_nearest_word_is_proposed_unless_it_is_far) {
  const std::vector<std::string> known{"command", "args", "image", "env"};
  const std::pair<const char*, const char*> rows[] = {
      {"comand", "command"}, {"commands", "command"}, {"imgae", "image"},
      {"en", "env"},         {"resources", ""},       {"", ""},
  };
  for (const auto& [word, proposed] : rows)
    BOOST_TEST(nearest_word(word, known) == proposed, word);
  BOOST_TEST(nearest_word("command", {}) == "");
  BOOST_TEST(nearest_word("MPIJob", {"TFJob"}) == "TFJob");
  BOOST_TEST(nearest_word("MPIJob", {"TFJob"}, 2) == "");
  BOOST_TEST(nearest_word("PyTochJobs", {"PyTorchJob"}, 2) == "PyTorchJob");
}

BOOST_AUTO_TEST_CASE(durations_read_as_kubectl_writes_them) {
  const std::pair<std::chrono::seconds, const char*> rows[] = {
      {-5s, "0s"},         {119s, "119s"},       {2min, "2m"},
      {3min + 7s, "3m7s"}, {10min + 7s, "10m"},  {179min, "179m"},
      {3h + 5min, "3h5m"}, {8h + 5min, "8h"},    {47h, "47h"},
      {50h, "2d2h"},       {8 * 24h + 3h, "8d"}, {729 * 24h, "729d"},
      {731 * 24h, "2y1d"}, {3000 * 24h, "8y"},
  };
  for (const auto& [duration, text] : rows)
    BOOST_TEST(human_duration(duration) == text);
}

BOOST_AUTO_TEST_CASE(a_name_of_letters_and_digits) {
  for (auto good : {"a", "A", "7", "a-b", "a_b.c", "a--b", "0.9"})
    BOOST_TEST(is_alphanumeric_name(good), good);
  for (auto bad : {"", "-", "-a", "a-", "_a", "a.", "a/b", "a b", "\xc3\xa4"})
    BOOST_TEST(!is_alphanumeric_name(bad), bad);
}

BOOST_AUTO_TEST_CASE(a_prefix_ends_between_characters) {
  struct row {
    const char* text;
    std::size_t most;
    const char* expected;
  } rows[] = {{"", 0, ""},
              {"abc", 3, "abc"},
              {"abc", 2, "ab"},
              {"abc", 0, ""},
              {"a\xc3\xa9", 3, "a\xc3\xa9"},
              {"a\xc3\xa9", 2, "a"},
              {"\xf0\x9f\x98\x80x", 3, ""},
              {"\xf0\x9f\x98\x80x", 4, "\xf0\x9f\x98\x80"},
              // No UTF-8 at all.
              {"\x80\x80\x80", 2, ""}};
  for (const auto& r : rows)
    BOOST_TEST(utf8_prefix(r.text, r.most) == r.expected);
}

BOOST_AUTO_TEST_CASE(long_text_is_cut_between_characters) {
  BOOST_TEST(shorten_text("abc", 3) == "abc");
  BOOST_TEST(shorten_text("abcd", 3) == "abc...");
  BOOST_TEST(shorten_text("ab\xC3\xA4", 3) == "ab...");
  BOOST_TEST(shorten_text("\xC3\xA4", 1) == "...");
}

BOOST_AUTO_TEST_CASE(labels_of_host_names) {
  for (const char* good : {"a", "7", "team-a", "0a-b9"})
    BOOST_TEST(is_dns_label(good), good);
  for (const char* bad : {"", "-a", "a-", "A", "a.b", "a_b", "a b", "ä", "*"})
    BOOST_TEST(!is_dns_label(bad), bad);
  BOOST_TEST(is_dns_label(std::string(63, 'a')));
  BOOST_TEST(!is_dns_label(std::string(64, 'a')));
}

BOOST_AUTO_TEST_CASE(a_dns_subdomain_is_labels_with_dots_between_them) {
  for (const char* good : {"a", "example.com", "0.a-b.c--d"})
    BOOST_TEST(is_dns_subdomain(good), good);
  for (const char* bad :
       {"", ".", "a.", ".a", "a..b", "a.-b", "a-.b", "Example.com", "a_b.c"})
    BOOST_TEST(!is_dns_subdomain(bad), bad);
  BOOST_TEST(is_dns_subdomain(std::string(64, 'a') + ".b"));
  BOOST_TEST(is_dns_subdomain(std::string(253, 'a')));
  BOOST_TEST(!is_dns_subdomain(std::string(254, 'a')));
}

BOOST_AUTO_TEST_SUITE_END()
