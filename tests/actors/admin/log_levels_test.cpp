#include "actors/admin/log_levels.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::actors;

BOOST_AUTO_TEST_SUITE(log_levels_test)

namespace {

std::string refusal(const char* body) {
  auto change = parse_log_level_change(body);
  return change ? "" : change.error().message;
}

} // namespace

BOOST_AUTO_TEST_CASE(a_change_names_a_component_and_a_level) {
  auto change =
      parse_log_level_change(R"({"component": "watcher", "level": "debug"})");
  BOOST_REQUIRE(change);
  BOOST_TEST(change->component == "watcher");
  BOOST_TEST((change->level == log::level::debug));
  auto all = parse_log_level_change(R"({"level": "warn"})");
  BOOST_REQUIRE(all);
  BOOST_TEST(all->component == "");
  auto reset =
      parse_log_level_change(R"({"component": "watcher", "level": "default"})");
  BOOST_REQUIRE(reset);
  BOOST_TEST(!reset->level);
}

BOOST_AUTO_TEST_CASE(an_error_names_the_field_and_what_it_may_be) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "the body must be a JSON object"},
      {"[]", "the body must be a JSON object"},
      {R"({"level": "loud"})", "level is \"loud\"; choose one of debug"},
      {R"({"level": "default"})", "level is \"default\"; choose one of"},
      {R"({"level": 3})", "level is not a string"},
      {R"({"component": "watcher"})", "level is \"\"; choose one of"},
      {R"({"component": 1, "level": "info"})", "component is not a string"},
      {R"({"component": "wacher", "level": "info"})",
       "component is \"wacher\"; choose one of "},
      {R"({"component": "watcher", "levle": "info"})",
       "there is no field levle; must be component or level"}};
  for (const auto& [body, part] : rows)
    BOOST_TEST(refusal(body).find(part) == 0u, body << " -> " << refusal(body));
}

BOOST_AUTO_TEST_CASE(a_change_takes_effect_and_is_shown) {
  apply_log_level_change({"", log::level::warn});
  apply_log_level_change({"watcher", log::level::debug});
  auto shown = to_json(log::current_levels());
  BOOST_TEST(shown["level"] == "warn");
  BOOST_TEST(shown["components"]["watcher"] == "debug");
  BOOST_TEST(shown["components"]["root"] == "warn");
  BOOST_TEST(log::is_enabled(log::level::debug, "actors/api/watcher.cpp"));
  apply_log_level_change({"watcher", std::nullopt});
  BOOST_TEST(!log::is_enabled(log::level::debug, "actors/api/watcher.cpp"));
  apply_log_level_change({"", log::level::info});
}

BOOST_AUTO_TEST_SUITE_END()
