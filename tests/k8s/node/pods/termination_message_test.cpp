#include "k8s/node/pods/termination_message.hpp"
#include "k8s/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using namespace troupe::k8s::node;

BOOST_AUTO_TEST_SUITE(termination_message_test)

namespace {

const json by_file{{"terminationMessagePath", "/why"},
                   {"terminationMessagePolicy", "File"}};
const json by_log{{"terminationMessagePolicy", "FallbackToLogsOnError"}};

} // namespace

BOOST_AUTO_TEST_CASE(the_file_counts_before_the_log) {
  const result<std::string> refused = failure{ec::invalid, "no file"};
  struct {
    const json& container;
    container_ending ending;
    result<std::string> file;
    const char* message;
  } rows[] = {
      {by_file, {1, true, "", 1}, std::string{"why"}, "why"},
      {by_file, {0, true, "", 1}, std::string{"why"}, "why"},
      {by_file, {1, true, "", 1}, std::string{}, ""},
      {by_log, {1, true, "", 1}, std::string{"why"}, "why"},
      {by_log, {1, true, "", 1}, std::string{}, "the log"},
      {by_log, {0, true, "", 1}, std::string{}, ""},
      // The log has the same words.
      {by_log,
       {128, false, "no such program", 1},
       std::string{},
       "no such program"},
      {by_file,
       {1, true, "of the node", 1},
       std::string{"why"},
       "of the node: why"},
      {by_file,
       {1, true, "", 1},
       refused,
       "Error on reading termination log /why: no file"},
  };
  for (const auto& row : rows)
    BOOST_TEST(make_termination_message(row.container, row.ending, row.file,
                                        [] { return "the log"; })
               == row.message);
}

BOOST_AUTO_TEST_CASE(messages_of_a_pod_have_a_limit_together) {
  struct {
    std::size_t containers;
    std::size_t bytes;
  } rows[] = {{1, 4096}, {3, 4096}, {4, 3072}, {40, 307}};
  for (const auto& row : rows)
    BOOST_TEST(make_termination_message(by_file, {1, true, "", row.containers},
                                        std::string(4096, 'a'),
                                        [] { return ""; })
                   .size()
               == row.bytes);
}

BOOST_AUTO_TEST_CASE(a_message_is_text) {
  struct {
    std::string file;
    const char* message;
  } rows[] = {
      {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
      {"\xbc\xc3\x9f is cut", "\xc3\x9f is cut"},
      {"a\xff\xfe z", "a?? z"},
      {"\xe2\x82\xac\x82 \xe2\x82", "\xe2\x82\xac? ??"},
      {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
  };
  for (const auto& row : rows)
    BOOST_TEST(make_termination_message(by_file, {1, true, "", 1}, row.file,
                                        [] { return ""; })
               == row.message);
  std::string bad;
  for (int i = 0; i < 4096; ++i)
    bad += static_cast<char>((i * 7919) >> 3);
  auto text = make_termination_message(by_file, {1, true, "", 4}, bad,
                                       [] { return ""; });
  BOOST_TEST(is_utf8(text));
  BOOST_TEST(text.size() <= 3072u);
}

BOOST_AUTO_TEST_SUITE_END()
