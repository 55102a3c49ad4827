#include "k8s/watch/reflector.hpp"
#include "tests/k8s/recording_api.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe::k8s;
using boost::test_tools::per_element;
using strings = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(reflector_test)

namespace {

struct reflector_fixture {
  explicit reflector_fixture(bool reduces = true) {
    reflector_options options;
    options.pause = std::chrono::milliseconds{0};
    if (reduces)
      options.reduce = [](json& object) { object.erase("spec"); };
    auto note = [this](const char* what) {
      return [this, what](const json& object) {
        seen.push_back(std::string{what} + text_at(object, {"metadata", "name"})
                       + (find_value(object, {"spec"}) ? " whole" : ""));
        if (stop_after == seen.size())
          subject->stop();
      };
    };
    subject = std::make_shared<reflector>(
        io, server, selection{resources::pods, "n", "", ""}, note("+"),
        note("-"),
        [this](const failure& why) { seen.push_back("failed " + why.message); },
        options);
    subject->start();
  }
  ~reflector_fixture() { subject->stop(); }

  void run() {
    io->restart();
    io->run();
  }

  void answer_list(result<std::string> answer) {
    BOOST_REQUIRE(server->calls.size() == 1u);
    auto call = server->calls[0];
    server->calls.clear();
    call.answer(std::move(answer));
    run();
  }

  static json object(const std::string& name) {
    return {{"metadata", {{"name", name}, {"uid", name}}}, {"spec", "large"}};
  }

  void list(const strings& names, const char* version = "5",
            const char* next = "") {
    json items = json::array();
    for (const auto& name : names)
      items.push_back(object(name));
    json metadata{{"resourceVersion", version}, {"continue", next}};
    answer_list(json{{"metadata", metadata}, {"items", items}}.dump());
  }

  /// The server sends an event, cut in two.
  void event(const char* type, const std::string& name,
             const char* version = "") {
    auto about = object(name);
    about["metadata"]["resourceVersion"] = version;
    send_line(json{{"type", type}, {"object", about}}.dump() + "\n");
  }

  void send_line(const std::string& line) {
    const auto& sink = server->watches.back().sink;
    sink.bytes(line.substr(0, 9));
    sink.bytes(line.substr(9));
    run();
  }

  void end_watch(result<nothing> how) {
    server->watches.back().sink.ended(how);
    run();
  }

  /// What is asked for next: "list", "version", or "watch" and from where.
  std::string next_request() {
    auto text = [](const request& sent, const char* what) {
      auto begin = sent.path.find(what);
      return begin == std::string::npos
                 ? std::string{}
                 : sent.path.substr(begin, sent.path.find('&', begin) - begin);
    };
    if (server->open_watches > 0)
      return text(server->watches.back().sent, "resourceVersion=");
    BOOST_REQUIRE(server->calls.size() == 1u);
    return text(server->calls[0].sent, "limit=");
  }

  /// What was reported since the last call.
  strings take_seen() { return std::exchange(seen, {}); }

  std::shared_ptr<boost::asio::io_context> io =
      std::make_shared<boost::asio::io_context>();
  std::shared_ptr<recording_api> server = std::make_shared<recording_api>();
  std::shared_ptr<reflector> subject;
  strings seen;
  std::size_t stop_after = 0; ///< Objects; 0: never.
};

} // namespace

BOOST_FIXTURE_TEST_CASE(objects_are_listed_and_watched, reflector_fixture) {
  list({"a", "b"}, "7");
  BOOST_TEST(take_seen() == (strings{"+a", "+b"}), per_element());
  BOOST_REQUIRE(server->watches.size() == 1u);
  BOOST_TEST(server->watches[0].sent.path.find("resourceVersion=7")
             != std::string::npos);
  event("ADDED", "c");
  event("MODIFIED", "a");
  event("BOOKMARK", "");
  event("DELETED", "b");
  event("DELETED", "b"); // No longer known.
  BOOST_TEST(take_seen() == (strings{"+c", "+a", "-b"}), per_element());
}

BOOST_FIXTURE_TEST_CASE(what_a_later_list_lacks_was_deleted,
                        reflector_fixture) {
  list({"a", "b"});
  event("ADDED", "c");
  take_seen();
  event("ERROR", "");
  list({"b"});
  BOOST_TEST(take_seen() == (strings{"+b", "-a", "-c"}), per_element());
}

BOOST_FIXTURE_TEST_CASE(a_list_may_be_null, reflector_fixture) {
  list({"a"});
  BOOST_TEST(take_seen() == strings{"+a"}, per_element());
  event("ERROR", "");
  answer_list(std::string{
      "{\"metadata\": {\"resourceVersion\": \"7\"},\n \"items\": null\n}\n"});
  BOOST_TEST(take_seen() == strings{"-a"}, per_element());
}

BOOST_FIXTURE_TEST_CASE(an_object_too_deep_to_read_hides_no_other,
                        reflector_fixture) {
  auto deep = object("deep").dump();
  deep.pop_back();
  deep += ",\"status\":" + std::string(300, '[') + std::string(300, ']') + "}";
  answer_list(R"({"metadata":{"resourceVersion":"5"},"items":[)"
              + object("a").dump() + "," + deep + "," + object("b").dump()
              + "]}");
  BOOST_TEST(take_seen() == (strings{"+a", "+b"}), per_element());
  server->watches.back().sink.bytes(R"({"type":"ADDED","object":)" + deep
                                    + "}\n");
  event("ADDED", "c");
  BOOST_TEST(take_seen() == strings{"+c"}, per_element());
  BOOST_TEST(server->open_watches == 1);
}

BOOST_AUTO_TEST_CASE(objects_are_whole_unless_they_are_reduced) {
  reflector_fixture f{false};
  f.list({"a"});
  f.event("ADDED", "b");
  BOOST_TEST(f.take_seen() == (strings{"+a whole", "+b whole"}), per_element());
}

BOOST_FIXTURE_TEST_CASE(lists_come_in_pages, reflector_fixture) {
  list({"a", "b"}, "7", "more");
  BOOST_TEST(server->calls[0].sent.path.find("continue=more")
             != std::string::npos);
  BOOST_TEST(server->watches.empty());
  list({"c"}, "7");
  BOOST_TEST(take_seen() == (strings{"+a", "+b", "+c"}), per_element());
  BOOST_TEST(server->open_watches == 1);
  event("ERROR", "");
  list({"a"}, "8", "more");
  answer_list(failure{ec::expired, "the token is too old"});
  list({"a"}, "9", "more");
  list({"c"}, "9");
  BOOST_TEST(
      take_seen()
          == (strings{"+a", "failed the token is too old", "+a", "+c", "-b"}),
      per_element());
}

BOOST_AUTO_TEST_CASE(how_a_watch_ended_decides_what_is_asked_for) {
  struct row {
    const char* what;
    std::function<void(reflector_fixture&)> ends;
    const char* next;
  };
  const row rows[] = {
      {"by the server", [](auto& f) { f.end_watch(nothing{}); },
       "resourceVersion=9"},
      {"overloaded",
       [](auto& f) {
         f.end_watch(failure{ec::overloaded, ""});
       },
       "resourceVersion=9"},
      {"unreachable",
       [](auto& f) {
         f.end_watch(failure{ec::unreachable, ""});
       },
       "limit=1"},
      {"expired",
       [](auto& f) {
         f.end_watch(failure{ec::expired, ""});
       },
       "limit=200"},
      {"an error event", [](auto& f) { f.event("ERROR", ""); }, "limit=200"},
      {"an old bookmark", [](auto& f) { f.event("BOOKMARK", "", "8"); },
       "limit=200"},
      {"no event", [](auto& f) { f.send_line("<html></html>\n"); },
       "limit=200"},
  };
  for (const auto& r : rows)
    BOOST_TEST_CONTEXT(r.what) {
      reflector_fixture f;
      f.list({"a"}, "7");
      f.event("MODIFIED", "a", "8");
      f.event("BOOKMARK", "", "9");
      BOOST_TEST(f.server->open_watches == 1);
      f.take_seen();
      r.ends(f);
      f.run();
      BOOST_TEST(f.next_request() == r.next);
      BOOST_TEST(f.seen.empty());
    }
}

BOOST_FIXTURE_TEST_CASE(empty_lines_of_a_watch_are_no_events,
                        reflector_fixture) {
  list({});
  server->watches.back().sink.bytes("\n\n");
  run();
  event("ADDED", "a");
  BOOST_TEST(take_seen() == strings{"+a"}, per_element());
  BOOST_TEST(server->open_watches == 1);
}

BOOST_FIXTURE_TEST_CASE(what_is_known_survives_a_resumed_watch,
                        reflector_fixture) {
  list({"a", "b"});
  end_watch(failure{ec::unreachable, ""});
  BOOST_TEST(next_request() == "limit=1");
  answer_list(failure{ec::unreachable, "still"});
  BOOST_TEST(next_request() == "limit=1");
  list({"b"}, "5"); // Its objects are not the list.
  strings expected{"+a", "+b", "failed still"};
  BOOST_TEST(take_seen() == expected, per_element());
  BOOST_TEST(next_request() == "resourceVersion=5");
  event("DELETED", "a");
  BOOST_TEST(take_seen() == strings{"-a"}, per_element());
}

// As after etcd was restored from a backup.
BOOST_FIXTURE_TEST_CASE(a_server_that_went_back_is_listed, reflector_fixture) {
  list({"a", "b"}, "100");
  end_watch(failure{ec::unreachable, ""});
  list({"a"}, "90");
  BOOST_TEST(next_request() == "limit=200");
  list({"a"}, "91");
  BOOST_TEST(take_seen() == (strings{"+a", "+b", "+a", "-b"}), per_element());
  BOOST_TEST(next_request() == "resourceVersion=91");
  // Found by a list of all.
  event("ERROR", "");
  list({"c"}, "80");
  BOOST_TEST(next_request() == "limit=200");
  list({"c"}, "80");
  BOOST_TEST(take_seen() == (strings{"+c", "+c", "-a"}), per_element());
  BOOST_TEST(next_request() == "resourceVersion=80");
}

BOOST_FIXTURE_TEST_CASE(a_list_that_failed_is_reported_and_repeated,
                        reflector_fixture) {
  answer_list(failure{ec::forbidden, "why"});
  BOOST_TEST(take_seen() == strings{"failed why"}, per_element());
  answer_list(std::string{"<html>"});
  BOOST_TEST(take_seen().size() == 1u);
  answer_list(std::string{"{}"});
  BOOST_TEST(take_seen() == strings{"failed an answer to a list has no items"},
             per_element());
  list({"a"});
  BOOST_TEST(take_seen() == strings{"+a"}, per_element());
}

BOOST_AUTO_TEST_CASE(nothing_is_reported_after_a_stop) {
  reflector_fixture f;
  f.stop_after = 1;
  f.list({"a", "b"});
  BOOST_TEST(f.seen == strings{"+a"}, per_element());
  BOOST_TEST(f.server->watches.empty());

  reflector_fixture g;
  g.list({"a", "b"});
  g.event("ERROR", "");
  g.take_seen();
  g.stop_after = 1;
  g.list({});
  BOOST_TEST(g.seen == strings{"-a"}, per_element());

  reflector_fixture h;
  h.list({"a"});
  h.subject->stop();
  h.event("ADDED", "b");
  BOOST_TEST(h.seen == strings{"+a"}, per_element());
  BOOST_TEST(h.server->open_watches == 0);
}

BOOST_AUTO_TEST_SUITE_END()
