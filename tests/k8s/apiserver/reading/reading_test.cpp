#include "k8s/apiserver/storage/store.hpp"
#include "tests/k8s/apiserver/server_fixture.hpp"

#include <set>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;
using namespace std::chrono_literals;
using lines = std::vector<std::string>;

namespace {

lines names(const server_fixture::answer& list) {
  lines out;
  for (const auto& i : list["/items"])
    out.push_back(text_at(i, {"metadata", "name"}));
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(reading)

BOOST_AUTO_TEST_CASE(selectors_choose) {
  server_fixture s;
  s.post(maps, config_map("a", {{"app", "x"}, {"n", "1"}}));
  s.post(maps, config_map("b", {{"app", "y"}}));
  s.post(maps, config_map("c"));
  struct {
    std::string selector;
    lines found;
  } rows[] = {
      {"labelSelector=app=x", {"a"}},
      {"labelSelector=app==x", {"a"}},
      {"labelSelector=app!=x", {"b", "c"}},
      {"labelSelector=app", {"a", "b"}},
      {"labelSelector=!app", {"c"}},
      {"labelSelector=app%20in%20(x,%20y)", {"a", "b"}},
      {"labelSelector=app%20notin%20(x)", {"b", "c"}},
      {"labelSelector=app%20in%20(x,y),n", {"a"}},
      {"labelSelector=n%3E0", {"a"}},
      {"labelSelector=n%3C1", {}},
      {"labelSelector=app=", {}},
      {"fieldSelector=metadata.name=b", {"b"}},
      {"fieldSelector=metadata.name!=b,metadata.namespace==default",
       {"a", "c"}},
      {"labelSelector=", {"a", "b", "c"}},
  };
  for (const auto& row : rows)
    BOOST_TEST(names(s.get(maps + "?" + row.selector)) == row.found,
               row.selector);
  for (auto bad :
       {"labelSelector=a%20b", "labelSelector=,", "fieldSelector=x",
        "fieldSelector=spec.foo=x", "limit=x", "continue=nonsense"}) {
    auto status = s.get(maps + "?" + bad).status;
    BOOST_TEST((status == 400 || status == 422), bad);
  }
}

BOOST_AUTO_TEST_CASE(pods_are_found_by_phase_and_node) {
  server_fixture s;
  s.post(pods, pod("a"));
  s.post(pods, pod("b"));
  s.post(pods + "/b/binding", {{"target", {{"name", "n"}}}});
  BOOST_TEST(names(s.get(pods + "?fieldSelector=spec.nodeName=n"))
             == lines{"b"});
  BOOST_TEST(names(s.get(pods + "?fieldSelector=spec.nodeName="))
             == lines{"a"});
  BOOST_TEST(names(s.get(pods + "?fieldSelector=status.phase!=Pending"))
             == lines{});
}

BOOST_AUTO_TEST_CASE(a_list_stays_in_its_namespace) {
  server_fixture s;
  for (auto ns : {"a", "a-b", "ab"}) {
    s.core.ensure_namespace_ignoring_errors(ns);
    s.post(std::string("/api/v1/namespaces/") + ns + "/configmaps",
           config_map("m"));
  }
  BOOST_TEST(s.get("/api/v1/namespaces/a/configmaps")["/items"].size() == 1u);
  BOOST_TEST(s.get("/api/v1/configmaps")["/items"].size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_list_in_pages_is_complete_whatever_happens_between) {
  server_fixture s;
  for (int i = 0; i < 10; ++i)
    s.post(maps, config_map("m" + std::to_string(i)));
  auto version = s.get(maps).version();
  auto page = s.get(maps + "?limit=3");
  BOOST_TEST(page["/metadata/remainingItemCount"] == 7);
  auto all = names(page);
  s.drop(maps + "/m1");
  s.drop(maps + "/m5");
  s.post(maps, config_map("m55"));
  s.merge(maps + "/m6", {{"data", {{"new", "x"}}}});
  while (page["/metadata/continue"].is_string()) {
    page = s.get(maps + "?limit=3&continue="
                 + page["/metadata/continue"].get<std::string>());
    BOOST_REQUIRE(page.status == 200);
    BOOST_TEST(page.version() == version);
    // As it was then.
    BOOST_TEST(page["/metadata/remainingItemCount"]
               == (all.size() < 9 ? json(7 - all.size()) : json{}));
    for (const auto& i : page["/items"])
      BOOST_TEST(!i.contains("data"));
    for (auto& n : names(page))
      all.push_back(n);
  }
  BOOST_TEST(
      all
      == (lines{"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"}));
}

BOOST_AUTO_TEST_CASE(a_page_with_a_selector_looks_no_further_than_itself) {
  server_fixture s;
  for (int i = 0; i < 9; ++i)
    s.post(maps, config_map("m" + std::to_string(i),
                            {{"third", i % 3 == 0 ? "y" : "n"}}));
  const auto query = maps + "?limit=2&labelSelector=third%3Dy";
  auto page = s.get(query);
  BOOST_TEST(names(page) == (lines{"m0", "m3"}));
  BOOST_TEST(page["/metadata/remainingItemCount"].is_null());
  auto token = page["/metadata/continue"].get<std::string>();
  page = s.get(query + "&continue=" + token);
  // It does not know yet that nothing more will be found.
  BOOST_TEST(names(page) == lines{"m6"});
  BOOST_TEST(page["/metadata/continue"].is_null());
  page = s.get(maps + "?limit=1&labelSelector=third%3Dy&continue=" + token);
  BOOST_TEST(names(page) == lines{"m6"});
  page = s.get(maps + "?limit=1&labelSelector=third%3Dy&continue="
               + page["/metadata/continue"].get<std::string>());
  BOOST_TEST(names(page) == lines{});
  BOOST_TEST(page["/metadata/continue"].is_null());
}

BOOST_AUTO_TEST_CASE(a_page_too_late_is_expired) {
  server_fixture s{3};
  for (int i = 0; i < 4; ++i)
    s.post(maps, config_map("m" + std::to_string(i)));
  auto page = s.get(maps + "?limit=1");
  for (int i = 0; i < 5; ++i)
    s.merge(maps + "/m0", {{"data", {{"i", std::to_string(i)}}}});
  auto a = s.get(maps + "?limit=1&continue="
                 + page["/metadata/continue"].get<std::string>());
  BOOST_TEST(a.status == 410);
  BOOST_TEST(a.reason() == "Expired");
}

BOOST_AUTO_TEST_CASE(a_watch_tells_what_happens) {
  server_fixture s;
  s.post(maps, config_map("a"));
  auto all = s.watch(maps);
  BOOST_TEST(all->lines() == lines{"ADDED a"});
  s.post(maps, config_map("b"));
  s.merge(maps + "/a", {{"data", {{"x", "y"}}}});
  BOOST_TEST(all->last.is_object());
  s.drop(maps + "/b");
  BOOST_TEST(all->lines() == (lines{"ADDED b", "MODIFIED a", "DELETED b"}));
  BOOST_TEST(text_at(all->last, {"metadata", "resourceVersion"})
             == s.get(maps).version());
}

BOOST_AUTO_TEST_CASE(who_asks_for_metadata_gets_no_bodies) {
  server_fixture s;
  auto map = config_map("a", {{"app", "x"}});
  map["data"] = {{"k", "v"}};
  s.post(maps, map);
  const std::string wanted = ";v=v1;g=meta.k8s.io,application/json";
  auto list = s.request("GET", maps);
  list.headers["accept"] =
      "application/json;as=PartialObjectMetadataList" + wanted;
  auto all = s.ask(list);
  BOOST_TEST(all["/kind"] == "PartialObjectMetadataList");
  BOOST_TEST(all["/items/0/kind"] == "PartialObjectMetadata");
  BOOST_TEST(all["/items/0/metadata/labels/app"] == "x");
  BOOST_TEST(!all.body.contains("/items/0/data"_json_pointer));
  auto e = std::make_shared<server_fixture::watch_recorder>();
  auto watch = s.request("GET", maps);
  watch.query["watch"] = "1";
  watch.query["resourceVersion"] = all.version();
  watch.headers["accept"] =
      "application/json;as=PartialObjectMetadata" + wanted;
  s.core.serve(watch, e);
  s.merge(maps + "/a", {{"data", {{"k", "w"}}}});
  BOOST_TEST(e->lines() == lines{"MODIFIED a"});
  BOOST_TEST(e->last["kind"] == "PartialObjectMetadata");
  BOOST_TEST(!e->last.contains("data"));
  s.drop(maps + "/a");
  BOOST_TEST(e->lines() == lines{"DELETED a"});
  BOOST_TEST(!e->last.contains("data"));
}

BOOST_AUTO_TEST_CASE(a_watch_resumes_where_it_was) {
  server_fixture s;
  auto v = s.post(maps, config_map("a")).version();
  s.post(maps, config_map("b"));
  s.drop(maps + "/a");
  s.core.ensure_namespace_ignoring_errors("other");
  s.post("/api/v1/namespaces/other/configmaps", config_map("c"));
  auto e = s.watch(maps + "?resourceVersion=" + v);
  BOOST_TEST(e->lines() == (lines{"ADDED b", "DELETED a"}));
  BOOST_TEST(s.watch("/api/v1/configmaps?resourceVersion=" + v)->lines()
             == (lines{"ADDED b", "DELETED a", "ADDED c"}));
}

BOOST_AUTO_TEST_CASE(a_watch_from_too_long_ago_is_told_410) {
  server_fixture s{2};
  auto v = s.post(maps, config_map("a")).version();
  for (auto n : {"b", "c", "d"})
    s.post(maps, config_map(n));
  auto e = s.watch(maps + "?resourceVersion=" + v);
  BOOST_TEST(e->lines() == lines{"ERROR"});
  BOOST_TEST(e->over);
  BOOST_TEST(e->last["code"] == 410);
  BOOST_TEST(text_at(e->last, {"message"}).find("too old resource version")
             == 0u);
}

BOOST_AUTO_TEST_CASE(initial_events_can_be_asked_for) {
  server_fixture s;
  s.post(maps, config_map("a"));
  auto e = s.watch(maps
                   + "?sendInitialEvents=true&allowWatchBookmarks=true"
                     "&resourceVersionMatch=NotOlderThan");
  BOOST_TEST(e->lines() == (lines{"ADDED a", "BOOKMARK"}));
  BOOST_TEST(e->last["metadata"]["annotations"]["k8s.io/initial-events-end"]
             == "true");
}

BOOST_AUTO_TEST_CASE(a_watcher_that_left_hears_nothing) {
  server_fixture s;
  auto e = s.watch(maps);
  e->gone();
  s.post(maps, config_map("a"));
  BOOST_TEST(e->lines().empty());
}

BOOST_AUTO_TEST_CASE(a_random_history_is_the_same_to_all_who_ask) {
  server_fixture s{100000};
  std::vector<std::pair<std::string, std::set<std::string>>> moments;
  std::uint64_t seed = 7;
  for (int i = 0; i < 400; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    auto name = "m" + std::to_string((seed >> 33) % 12);
    if ((seed >> 60) % 3 == 0)
      s.drop(maps + "/" + name);
    else
      s.post(maps, config_map(name));
    auto list = s.get(maps);
    auto found = names(list);
    moments.emplace_back(list.version(),
                         std::set<std::string>(found.begin(), found.end()));
  }
  for (const auto& [version, expected] : moments) {
    auto then = names(
        s.get(maps + "?resourceVersionMatch=Exact&resourceVersion=" + version));
    BOOST_REQUIRE(std::set<std::string>(then.begin(), then.end()) == expected);
    auto known = expected;
    for (const auto& n : s.watch(maps + "?resourceVersion=" + version)->lines())
      n[0] == 'A' ? (void)known.insert(n.substr(6))
                  : (void)known.erase(n.substr(8));
    BOOST_REQUIRE(known == moments.back().second);
  }
}

BOOST_AUTO_TEST_CASE(what_is_restored_counts_on) {
  store a{10};
  a.restore_without_change_event("pods", "default/x",
                                 {{"metadata", {{"resourceVersion", "41"}}}});
  BOOST_TEST(a.find("pods", "default/x")->resource_version() == 41u);
  BOOST_TEST(a.put("pods", "default/y", json::object())->resource_version()
             == 42u);
  BOOST_TEST(!a.changes_after("pods", 40).has_value());
  BOOST_TEST(a.changes_after("pods", 41)->size() == 1u);
}

BOOST_AUTO_TEST_CASE(an_expired_list_can_go_on_with_what_is_there) {
  server_fixture s{3};
  for (auto name : {"a", "b", "c"})
    s.post(maps, config_map(name));
  auto first = s.get(maps + "?limit=1");
  s.drop(maps + "/b");
  for (int i = 0; i < 5; ++i)
    s.merge(maps + "/a", {{"data", {{"n", std::to_string(i)}}}});
  auto next = maps + "?continue=";
  auto a = s.get(next + text_at(first.body, {"metadata", "continue"}));
  BOOST_TEST(a.status == 410);
  a = s.get(next + text_at(a.body, {"metadata", "continue"}));
  BOOST_TEST(a.status == 200);
  BOOST_REQUIRE(a["/items"].size() == 1u);
  BOOST_TEST(a["/items/0/metadata/name"] == "c");
}

BOOST_AUTO_TEST_CASE(an_object_of_a_later_version_is_to_be_asked_for_again) {
  server_fixture s;
  s.post(maps, config_map("a"));
  auto a = s.get(maps + "/a?resourceVersion=999");
  BOOST_TEST(a.status == 504);
  BOOST_TEST(a.headers["Retry-After"] == "1");
}

BOOST_AUTO_TEST_CASE(one_object_is_not_watched_by_its_path) {
  server_fixture s;
  s.post(maps, config_map("a"));
  BOOST_TEST(s.get(maps + "/a?watch=1")["/kind"] == "ConfigMap");
  BOOST_TEST(s.call("HEAD", maps + "/a").status == 405);
}

BOOST_AUTO_TEST_SUITE_END()
