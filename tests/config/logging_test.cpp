#include "config/logging.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::log;
using namespace std::chrono_literals;

namespace {

const std::chrono::system_clock::time_point noon{1767182400123ms};

} // namespace

BOOST_AUTO_TEST_SUITE(logging)

BOOST_AUTO_TEST_CASE(a_line_of_text_has_its_fields_as_key_and_value) {
  BOOST_TEST(
      format_line(format::text, level::info, noon, "pod created",
                  {{"job", "default/mnist"}, {"index", 3}, {"took", 40ms}})
      == "2025-12-31T12:00:00.123Z info pod created job=default/mnist "
         "index=3 took=40ms");
}

BOOST_AUTO_TEST_CASE(a_line_of_json_is_one_object) {
  BOOST_TEST(format_line(format::json, level::warn, noon, "refused",
                         {{"why", "a \"b\""}, {"attempt", 2}, {"fatal", false}})
             == R"({"time":"2025-12-31T12:00:00.123Z","level":"warn",)"
                R"("message":"refused","why":"a \"b\"","attempt":2,)"
                R"("fatal":false})");
}

BOOST_AUTO_TEST_CASE(a_value_cannot_start_a_line_or_reach_the_terminal) {
  BOOST_TEST(format_line(format::text, level::error, noon, "x",
                         {{"v", "a\nb\x1b[31m"}, {"e", ""}})
             == "2025-12-31T12:00:00.123Z error x v=\"a\\nb\\u001b[31m\" "
                "e=\"\"");
  BOOST_TEST(format_line(format::text, level::error, noon, "x",
                         {{"v", "a\xc2\x9b[31m"}, {"e", "\xc2\xa7\xc3\x9b"}})
             == "2025-12-31T12:00:00.123Z error x v=\"a\\u009b[31m\" "
                "e=\"\xc2\xa7\xc3\x9b\"");
}

BOOST_AUTO_TEST_CASE(the_time_is_written_in_the_words_of_zap) {
  const std::pair<time_encoding, const char*> table[] = {
      {time_encoding::iso8601, "\"2025-12-31T12:00:00.123Z\""},
      {time_encoding::rfc3339, "\"2025-12-31T12:00:00Z\""},
      {time_encoding::rfc3339nano, "\"2025-12-31T12:00:00.123000000Z\""},
      {time_encoding::epoch, "1767182400.123000"},
      {time_encoding::millis, "1767182400123"},
      {time_encoding::nano, "1767182400123000000"},
  };
  for (const auto& [times, want] : table)
    BOOST_TEST(format_line(format::json, level::info, noon, "x", {}, times)
               == std::string("{\"time\":") + want
                      + R"(,"level":"info","message":"x"})");
}

BOOST_AUTO_TEST_CASE(lines_below_the_level_are_not_written) {
  configure("warn", "text", "iso8601");
  BOOST_TEST(!is_enabled(level::info));
  BOOST_TEST(is_enabled(level::warn));
  configure("info", "text", "iso8601");
  BOOST_TEST(is_enabled(level::info));
  BOOST_TEST(!is_enabled(level::debug));
}

BOOST_AUTO_TEST_CASE(a_component_is_named_like_its_source_file) {
  BOOST_TEST(component_of("/build/actors/job_supervisor_calls.cpp")
             == "job-supervisor-calls");
  BOOST_TEST(component_of("actors/process/root.cpp") == "root");
  BOOST_TEST(component_of("watcher.cpp") == "watcher");
}

BOOST_AUTO_TEST_CASE(a_component_may_have_a_level_of_its_own) {
  set_level_of_all_components(level::warn);
  BOOST_TEST(!is_enabled(level::debug));
  set_component_level("logging-test", level::debug); // This file.
  BOOST_TEST(is_enabled(level::debug));
  BOOST_TEST(!is_enabled(level::info, "actors/api/watcher.cpp"));
  BOOST_TEST(is_enabled(level::warn, "actors/api/watcher.cpp"));
  set_component_level("watcher", level::error);
  BOOST_TEST(!is_enabled(level::warn, "actors/api/watcher.cpp"));
  configure("debug", "text", "iso8601"); // The settings were read again.
  BOOST_TEST(!is_enabled(level::warn, "actors/api/watcher.cpp"));
  BOOST_TEST(is_enabled(level::debug, "actors/process/root.cpp"));
  set_component_level("watcher", std::nullopt);
  BOOST_TEST(is_enabled(level::debug, "actors/api/watcher.cpp"));
  set_level_of_all_components(level::info);
  BOOST_TEST(current_levels().components.empty());
  BOOST_TEST(!is_enabled(level::debug));
}

BOOST_AUTO_TEST_CASE(levels_have_words) {
  for (auto l : {level::debug, level::info, level::warn, level::error})
    BOOST_TEST((parse_level(to_string(l)) == l));
  BOOST_TEST(!parse_level("trace"));
  BOOST_TEST(!parse_level(""));
}

BOOST_AUTO_TEST_SUITE_END()
