#include "actors/cli/ask/top_view.hpp"
#include "k8s/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::cli;
using boost::test_tools::per_element;
using nlohmann::json;
using strings = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(top_view_test)

namespace {

json job(const char* name, const char* kind, int running, const char* created,
         const char* summary) {
  return {{"actor", "job-supervisor"}, {"kind", kind},
          {"namespace", "ns"},         {"name", name},
          {"created", created},        {"replicas", 4},
          {"running", running},        {"finished", false},
          {"summary", summary}};
}

json tree() {
  return {{"at", "2026-01-31T12:00:00Z"},
          {"ready", true},
          {"children",
           {job("a", "TFJob", 4, "2026-01-31T11:00:00Z", "4 of 4 run"),
            job("b", "MPIJob", 1, "2026-01-31T11:30:00Z", "1 of 4 run"),
            job("c", "PyTorchJob", 0, "2026-01-31T10:00:00Z", "failed: x")}}};
}

/// The names of the jobs, from the top.
std::string order(const top_view& view) {
  std::string names;
  for (const auto& line : make_top_tables(tree(), &view, 0))
    if (line.text.rfind("ns/", 0) == 0)
      names += line.text[3];
  return names;
}

std::string heading(const top_view& view) {
  for (const auto& line : make_top_tables(tree(), &view, 0))
    if (line.text.rfind("JOB", 0) == 0)
      return line.text;
  return {};
}

top_view typed(const char* bytes) {
  top_view view;
  std::string rest = bytes;
  for (const auto& key : take_complete_keys(rest))
    apply_key(view, key);
  return view;
}

strings texts(const std::vector<styled_line>& lines) {
  strings result;
  for (const auto& l : lines)
    result.push_back(l.text);
  return result;
}

} // namespace

BOOST_AUTO_TEST_CASE(keys_choose_the_order_of_the_jobs) {
  struct row {
    const char* keys;
    const char* order;
    const char* marked; ///< Part of the heading.
  };
  const row rows[] = {
      {"", "abc", "JOB v"},        {"r", "cba", "JOB ^"},
      {"k", "bca", "KIND v"},      {"w", "cba", "REPLICAS v"},
      {"a", "bac", "AGE v"},       {"s", "bac", "SUMMARY v"},
      {"ar", "cab", "AGE ^"},      {"arr", "bac", "AGE v"},
      {"\033[C", "bca", "KIND v"}, {"\033[D", "bac", "SUMMARY v"},
      {"s\033OC", "abc", "JOB v"}, {"x", "abc", "JOB v"},
  };
  for (const auto& r : rows) {
    auto view = typed(r.keys);
    BOOST_TEST_CONTEXT(r.keys) {
      BOOST_TEST(order(view) == r.order);
      BOOST_TEST(heading(view).find(r.marked) != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(keys_are_taken_from_what_a_terminal_sends) {
  struct row {
    const char* bytes;
    strings keys;
    const char* rest;
  };
  const row rows[] = {
      {"", {}, ""},
      {"qp", {"q", "p"}, ""},
      {"\033[A\033[B\033[C\033[D", {"up", "down", "right", "left"}, ""},
      {"a\033OA", {"a", "up"}, ""},
      {"\033[1;5C", {"right"}, ""},
      {"\033[3~q", {"q"}, ""},
      {"q\033", {"q"}, "\033"},
      {"\033[", {}, "\033["},
      {"\033[1;", {}, "\033[1;"},
      {"\033q", {"q"}, ""},
  };
  for (const auto& r : rows) {
    std::string bytes = r.bytes;
    BOOST_TEST(take_complete_keys(bytes) == r.keys, per_element());
    BOOST_TEST(bytes == r.rest);
  }
}

BOOST_AUTO_TEST_CASE(further_keys) {
  BOOST_TEST(typed("p").paused);
  BOOST_TEST(!typed("pp").paused);
  BOOST_TEST(typed(" ").paused);
  BOOST_TEST(typed("?").help);
  BOOST_TEST(!typed("h?").help);
  BOOST_TEST(typed("q").quit);
  BOOST_TEST(typed("\033[B\033[B\033[A").scroll == 1u);
  BOOST_TEST(typed("\033[A").scroll == 0u);
}

BOOST_AUTO_TEST_CASE(the_screen_fits_the_terminal) {
  for (std::size_t height : {1u, 2u, 5u, 8u, 50u})
    for (std::size_t width : {1u, 20u, 200u}) {
      top_view view;
      auto lines =
          make_top_screen_and_limit_scroll(tree(), view, width, height, "");
      BOOST_TEST(lines.size() <= std::max<std::size_t>(height, 2));
      for (const auto& l : lines)
        BOOST_TEST(l.text.size() <= width);
    }
}

BOOST_AUTO_TEST_CASE(a_small_screen_is_scrolled_to_its_end) {
  top_view view;
  auto all = texts(make_top_tables(tree(), &view, 100));
  BOOST_REQUIRE(all.size() == 8u);
  auto top = texts(make_top_screen_and_limit_scroll(tree(), view, 100, 5, ""));
  BOOST_TEST(top[0] == all[0]);
  BOOST_TEST(top[4].rfind("4 more lines. ", 0) == 0u);
  view.scroll = 100;
  auto end = texts(make_top_screen_and_limit_scroll(tree(), view, 100, 5, ""));
  BOOST_TEST(view.scroll == 4u);
  BOOST_TEST(end[3] == all[7]);
  BOOST_TEST(end[4].find("more lines") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_last_line_tells_of_pause_and_failure) {
  top_view view;
  view.paused = true;
  auto last = [&](const char* failure) {
    return make_top_screen_and_limit_scroll(tree(), view, 100, 20, failure)
        .back();
  };
  BOOST_TEST(last("").text.rfind("Paused. ", 0) == 0u);
  BOOST_TEST(last("connection\033 refused").text
             == "No answer: connection refused");
  BOOST_CHECK(last("x").style == line_style::bad);
}

BOOST_AUTO_TEST_CASE(help_replaces_the_tables) {
  top_view view;
  view.help = true;
  auto text = k8s::join(
      texts(make_top_screen_and_limit_scroll(tree(), view, 80, 24, "")), "\n");
  for (const char* part : {"reverse", "pause", "quit", "sort by job"})
    BOOST_TEST(text.find(part) != std::string::npos);
  BOOST_TEST(text.find("ns/a") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(rows_have_the_colour_of_their_state) {
  auto finished = job("d", "TFJob", 0, "2026-01-31T10:00:00Z", "has succeeded");
  finished["finished"] = true;
  json watch{{"actor", "watcher"}, {"resource", "pods"}, {"state", "resting"}};
  const std::pair<json, line_style> rows[] = {
      {tree()["children"][0], line_style::good},
      {tree()["children"][1], line_style::partial},
      {tree()["children"][2], line_style::bad},
      {finished, line_style::ended},
      {watch, line_style::bad},
  };
  for (const auto& [actor, style] : rows)
    BOOST_CHECK(
        make_top_tables({{"children", {actor}}}, nullptr, 0).back().style
        == style);
}

BOOST_AUTO_TEST_CASE(a_frame_overwrites_the_one_before) {
  const std::vector<styled_line> lines{{"one", line_style::plain},
                                       {"two", line_style::bad}};
  BOOST_TEST(render_terminal_frame(lines, false)
             == "\033[Hone\033[K\r\ntwo\033[K\033[J");
  BOOST_TEST(render_terminal_frame(lines, true)
             == "\033[Hone\033[K\r\n\033[31mtwo\033[0m\033[K\033[J");
  BOOST_TEST(render_terminal_frame({{"a\033[2Jb\n", line_style::plain}}, true)
             == "\033[Ha\\u001b[2Jb\\n\033[K\033[J");
}

BOOST_AUTO_TEST_SUITE_END()
