#include "k8s/apiserver/reading/continue_token.hpp"
#include "k8s/apiserver/reading/list_options.hpp"
#include "tests/k8s/apiserver/server_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(list_options_test)

namespace {

/// A request for config maps, at a server whose latest version is 9.
struct query_fixture {
  explicit query_fixture(const std::string& target)
      : state(server_environment{}) {
    request.method = "GET";
    BOOST_REQUIRE(http::parse_request_target(target, request));
    while (state.objects.resource_version() < 9)
      state.objects.put("x", "/x", json::object());
    info = *parse_request_info(state.resources, request);
  }

  http::request request;
  server_state state;
  request_info info;
};

} // namespace

BOOST_AUTO_TEST_CASE(what_a_list_asks_for) {
  auto token = encode_continue_token({4, "default/m"});
  struct row {
    std::string query;
    std::size_t limit;
    std::uint64_t version;
    std::string after;
  };
  const row rows[] = {
      {"", 0, 0, ""},
      {"limit=5", 5, 0, ""},
      {"resourceVersion=3", 0, 0, ""}, // At least that: the latest.
      {"resourceVersion=0", 0, 0, ""},
      {"resourceVersion=3&resourceVersionMatch=Exact", 0, 3, ""},
      {"limit=-1", 0, 0, ""},
      {"limit=5&continue=" + token, 5, 4, "default/m"},
  };
  for (const auto& r : rows) {
    query_fixture f{maps + "?" + r.query};
    auto parsed = parse_list_options(f.state, f.info);
    BOOST_TEST_CONTEXT(r.query) {
      BOOST_REQUIRE(bool(parsed));
      const auto& options = *parsed;
      BOOST_TEST(options.limit == r.limit);
      BOOST_TEST(options.resource_version == r.version);
      BOOST_TEST(options.after_key == r.after);
      BOOST_TEST(options.chosen.empty());
    }
  }
}

BOOST_AUTO_TEST_CASE(what_a_list_cannot_ask_for) {
  struct row {
    const char* query;
    int code;
    const char* part;
  };
  // clang-format off
  const row rows[] = {
      {"limit=x",             400, "limit: \"x\" is not a number"},
      {"timeoutSeconds=x",    400, "timeoutSeconds: \"x\" is not a number"},
      {"resourceVersion=1.5", 400, "resourceVersion: \"1.5\" is not a number"},
      {"resourceVersionMatch=Exact", 422, "forbidden unless resourceVersion is provided"},
      {"resourceVersion=0&resourceVersionMatch=Exact", 422, "forbidden for resourceVersion \"0\""},
      {"resourceVersion=3&resourceVersionMatch=Newest", 422, "Unsupported value: \"Newest\""},
      {"resourceVersion=3&resourceVersionMatch=Exact&continue=x", 422, "forbidden when continue is provided"},
      {"resourceVersion=3&continue=x", 400, "specifying resource version is not allowed"},
      {"sendInitialEvents=true", 422, "sendInitialEvents is forbidden for list"},
      {"resourceVersion=10",  504, "Too large resource version: 10, current: 9"},
      {"continue=nonsense",   400, "continue key is not valid"},
      {"limit=1&continue=76313a303a2d3a622f7331", 400, "continue key is not valid"}, // v1:0:-:b/s1
      {"labelSelector=a%20b", 400, ""},
      {"fieldSelector=spec.x=1", 400, "spec.x"},
  };
  // clang-format on
  for (const auto& r : rows) {
    query_fixture f{maps + "?" + r.query};
    auto parsed = parse_list_options(f.state, f.info);
    BOOST_TEST_CONTEXT(r.query) {
      BOOST_REQUIRE(!parsed);
      BOOST_TEST(parsed.error().code == r.code);
      BOOST_TEST(parsed.error().message.find(r.part) != std::string::npos,
                 parsed.error().message);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_a_watch_cannot_ask_for) {
  struct row {
    const char* query;
    const char* part; ///< nullptr: nothing is wrong.
  };
  const row rows[] = {
      {"sendInitialEvents=true", "requires setting resourceVersionMatch"},
      {"sendInitialEvents=true&resourceVersionMatch=Exact",
       "Unsupported value: \"Exact\""},
      {"resourceVersionMatch=NotOlderThan",
       "forbidden for watch unless sendInitialEvents is provided"},
      {"sendInitialEvents=true&resourceVersionMatch=NotOlderThan", nullptr},
      {"resourceVersion=3", nullptr}};
  for (const auto& r : rows) {
    query_fixture f{maps + "?watch=1&" + r.query};
    auto error = check_list_parameters(f.info);
    BOOST_TEST_CONTEXT(r.query) {
      BOOST_TEST(error.has_value() == (r.part != nullptr));
      if (error && r.part)
        BOOST_TEST(error->message.find(r.part) != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_name_in_the_path_selects_that_object) {
  query_fixture f{maps + "/m?labelSelector=a=b"};
  auto chosen = *parse_selectors_and_path_name(f.info);
  auto m = config_map("m", {{"a", "b"}});
  BOOST_TEST(chosen.matches(m));
  BOOST_TEST(!chosen.matches(config_map("m")));
  BOOST_TEST(!chosen.matches(config_map("n", {{"a", "b"}})));
}

BOOST_AUTO_TEST_CASE(a_watch_starts_at_a_version_or_with_what_there_is) {
  struct row {
    const char* query;
    std::optional<std::uint64_t> start;
  };
  const row rows[] = {
      {"", std::nullopt},
      {"resourceVersion=0", std::nullopt},
      {"resourceVersion=7", 7},
      {"resourceVersion=7&sendInitialEvents=true", std::nullopt},
      {"resourceVersion=7&sendInitialEvents=false", 7},
      {"resourceVersion=0&sendInitialEvents=false", 9},
      {"sendInitialEvents=false", 9}};
  for (const auto& r : rows) {
    query_fixture f{maps + "?" + r.query};
    auto start = parse_watch_start_version(f.info, 9);
    BOOST_REQUIRE(bool(start));
    BOOST_TEST((*start == r.start), r.query);
  }
  query_fixture f{maps + "?resourceVersion=x"};
  auto start = parse_watch_start_version(f.info, 9);
  BOOST_REQUIRE(!start);
  BOOST_TEST(start.error().code == 400);
}

BOOST_AUTO_TEST_SUITE_END()
