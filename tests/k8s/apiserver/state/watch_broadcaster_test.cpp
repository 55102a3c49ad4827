#include "k8s/apiserver/state/watch_broadcaster.hpp"
#include "tests/k8s/apiserver/server_fixture.hpp"

#include <sstream>

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(watch_broadcaster_test)

using namespace std::chrono_literals;
using boost::test_tools::per_element;
using lines = std::vector<std::string>;

BOOST_AUTO_TEST_CASE(a_selecting_watch_sees_things_enter_and_leave) {
  server_fixture s;
  auto e = s.watch(maps + "?labelSelector=on=1");
  auto f = s.watch("/api/v1/configmaps?fieldSelector=metadata.name=a");
  s.post(maps, config_map("a"));
  s.post(maps, config_map("b", {{"on", "1"}}));
  s.merge(maps + "/a", {{"metadata", {{"labels", {{"on", "1"}}}}}});
  s.merge(maps + "/a", {{"data", {{"x", "y"}}}});
  s.merge(maps + "/a", {{"metadata", {{"labels", {{"on", "2"}}}}}});
  s.drop(maps + "/a");
  s.drop(maps + "/b");
  BOOST_TEST(
      e->lines()
      == (lines{"ADDED b", "ADDED a", "MODIFIED a", "DELETED a", "DELETED b"}));
  BOOST_TEST(f->lines()
             == (lines{"ADDED a", "MODIFIED a", "MODIFIED a", "MODIFIED a",
                       "DELETED a"}));
}

BOOST_AUTO_TEST_CASE(who_leaves_the_selection_is_shown_as_it_was_in_it) {
  server_fixture s;
  s.post(maps, config_map("a", {{"on", "1"}}));
  auto e = s.watch(maps + "?labelSelector=on=1");
  e->lines();
  auto a = s.merge(maps + "/a", {{"metadata", {{"labels", {{"on", "2"}}}}}});
  BOOST_TEST(e->lines() == lines{"DELETED a"});
  BOOST_TEST(e->last["metadata"]["labels"]["on"] == "1");
  BOOST_TEST(text_at(e->last, {"metadata", "resourceVersion"}) == a.version());
}

BOOST_AUTO_TEST_CASE(a_last_bookmark_comes_before_the_end) {
  server_fixture s;
  auto e = s.watch(maps + "?allowWatchBookmarks=true&timeoutSeconds=10");
  for (int i = 0; i < 8; ++i) {
    s.core.end_expired_watches_and_send_bookmarks();
    BOOST_TEST(e->lines().empty());
    s.now += 1s;
  }
  s.post(maps, config_map("a"));
  for (int i = 0; i < 2; ++i) {
    s.core.end_expired_watches_and_send_bookmarks();
    s.now += 1s;
  }
  BOOST_TEST(e->lines() == (lines{"ADDED a", "BOOKMARK"}));
  BOOST_TEST(text_at(e->last, {"metadata", "resourceVersion"})
             == std::to_string(s.core.objects().resource_version()));
  s.core.end_expired_watches_and_send_bookmarks();
  BOOST_TEST(e->over);
}

BOOST_AUTO_TEST_CASE(a_watch_is_bookmarked_and_ends_in_time) {
  server_fixture s;
  auto e = s.watch(maps + "?allowWatchBookmarks=true&timeoutSeconds=150");
  auto silent = s.watch(maps + "?timeoutSeconds=150");
  for (int i = 0; i < 140; ++i) {
    s.core.end_expired_watches_and_send_bookmarks();
    s.now += 1s;
  }
  BOOST_TEST(e->lines() == (lines{"BOOKMARK", "BOOKMARK"}));
  BOOST_TEST(e->last["kind"] == "ConfigMap");
  BOOST_TEST(!e->over);
  s.now += 20s;
  s.core.end_expired_watches_and_send_bookmarks();
  BOOST_TEST(e->over);
  BOOST_TEST(silent->over);
  BOOST_TEST(silent->lines().empty());
}

BOOST_AUTO_TEST_CASE(who_writes_while_listening_confuses_nobody) {
  server_fixture s;
  /// Answers every new map with a change of its own.
  struct busy : server_fixture::watch_recorder {
    explicit busy(server_fixture& s)
        : at(s) {}
    void write(std::string piece) override {
      watch_recorder::write(piece);
      if (piece.find("ADDED") != piece.npos)
        at.merge(maps + "/a", {{"data", {{"seen", "yes"}}}});
    }
    server_fixture& at;
  };
  auto b = std::make_shared<busy>(s);
  auto r = s.request("GET", maps);
  r.query["watch"] = "true";
  s.core.serve(r, b);
  auto late = s.watch(maps);
  s.post(maps, config_map("a"));
  BOOST_TEST(b->lines() == (lines{"ADDED a", "MODIFIED a"}));
  BOOST_TEST(late->lines() == (lines{"ADDED a", "MODIFIED a"}));
}

namespace {

/// A client that takes lines when it is told to.
struct slow_client {
  explicit slow_client(watch_broadcaster& watches) {
    watch_request wanted;
    auto type = std::make_shared<served_resource>();
    type->bucket = "pods";
    wanted.type = type;
    watcher = watches.add_watcher(std::move(wanted),
                                  {[this](const std::string& line) {
                                     ++seen;
                                     said += line;
                                   },
                                   [this] { has_ended = true; },
                                   [this] { return takes > seen; }});
  }

  watch_broadcaster::watcher_ptr watcher;
  std::size_t seen = 0;
  std::size_t takes = 0;
  std::string said; ///< Lines since the last take_said().
  bool has_ended = false;

  /// "ADDED 7" for each line.
  lines take_said() {
    lines out;
    std::istringstream all{std::exchange(said, {})};
    for (std::string line; std::getline(all, line);) {
      auto event = parse_json_or_null(line);
      out.push_back(text_at(event, {"type"}) + " "
                    + text_at(event, {"object", "version"}));
    }
    return out;
  }
};

change_ptr change_of(change::kind type, const std::string& key,
                     std::uint64_t version) {
  auto object = std::make_shared<const stored_object>(
      json{{"version", std::to_string(version)}}, version);
  return std::make_shared<const change>(
      change{type, "pods", key, nullptr, object, version});
}

change_ptr change_of(std::uint64_t version) {
  return change_of(change::kind::added, "n/" + std::to_string(version),
                   version);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_slow_client_gets_all_in_its_own_time) {
  watch_broadcaster watches;
  slow_client client{watches};
  watches.send_earlier_changes(*client.watcher, {change_of(1), change_of(2)},
                               "mark\n");
  BOOST_TEST(client.seen == 0u);
  client.takes = 2;
  watches.send_queued_changes(*client.watcher);
  BOOST_TEST(client.seen == 2u);
  watches.broadcast_change(change_of(3));
  BOOST_TEST(client.seen == 2u); // It comes after the mark.
  client.takes = 10;
  watches.send_queued_changes(*client.watcher);
  BOOST_TEST(client.seen == 4u);
  watches.broadcast_change(change_of(4));
  BOOST_TEST(client.seen == 5u);
}

BOOST_AUTO_TEST_CASE(a_slow_client_gets_an_objects_last_state) {
  using kind = change::kind;
  struct row {
    std::vector<kind> changes; ///< Of one object, versions 1 and so on.
    lines seen;
  };
  for (const auto& [changes, seen] : std::vector<row>{
           {{kind::added, kind::modified, kind::modified}, {"ADDED 3"}},
           {{kind::modified, kind::modified}, {"MODIFIED 2"}},
           {{kind::modified, kind::deleted}, {"DELETED 2"}},
           {{kind::added, kind::modified, kind::deleted}, {}},
           {{kind::deleted, kind::added, kind::modified},
            {"DELETED 1", "ADDED 3"}},
           {{kind::deleted, kind::added, kind::deleted}, {"DELETED 1"}}}) {
    watch_broadcaster watches;
    slow_client client{watches};
    std::uint64_t version = 0;
    for (auto type : changes)
      watches.broadcast_change(change_of(type, "n/a", ++version));
    client.takes = 10;
    watches.send_queued_changes(*client.watcher);
    BOOST_TEST(client.take_said() == seen, per_element());
  }
}

BOOST_AUTO_TEST_CASE(changes_of_several_objects_wait_in_the_order_of_versions) {
  using kind = change::kind;
  watch_broadcaster watches;
  slow_client client{watches};
  watches.send_earlier_changes(*client.watcher,
                               {change_of(kind::added, "n/a", 1)}, {});
  watches.broadcast_change(change_of(kind::modified, "n/a", 2));
  watches.broadcast_change(change_of(kind::modified, "n/b", 3));
  watches.broadcast_change(change_of(kind::modified, "n/a", 4));
  client.takes = 2; // What was there at first, as it was then.
  watches.send_queued_changes(*client.watcher);
  BOOST_TEST(client.take_said() == (lines{"ADDED 1", "MODIFIED 3"}),
             per_element());
  watches.broadcast_change(change_of(kind::modified, "n/b", 5));
  client.takes = 10;
  watches.send_queued_changes(*client.watcher);
  BOOST_TEST(client.take_said() == (lines{"MODIFIED 4", "MODIFIED 5"}),
             per_element());
}

BOOST_AUTO_TEST_CASE(a_client_that_takes_nothing_is_ended) {
  watch_broadcaster watches;
  slow_client client{watches};
  std::vector<change_ptr> many;
  std::uint64_t version = 0;
  while (many.size() < 6000)
    many.push_back(change_of(++version));
  watches.send_earlier_changes(*client.watcher, many, {});
  BOOST_TEST(!client.has_ended);
  for (int i = 0; i < 20000; ++i)
    watches.broadcast_change(change_of(++version));
  BOOST_TEST(!client.has_ended);
  watches.broadcast_change(change_of(++version));
  BOOST_TEST(client.has_ended);
  BOOST_TEST(watches.size() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
