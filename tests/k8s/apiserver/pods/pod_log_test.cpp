#include "k8s/apiserver/pods/pod_log.hpp"
#include "tests/k8s/apiserver/server_fixture.hpp"

using namespace troupe::k8s;
using namespace troupe::k8s::apiserver;

BOOST_AUTO_TEST_SUITE(pod_log_test)

namespace {

/// Remembers what it was asked for; the test sends the log.
struct recording_log : log_source {
  std::function<void()> stream_log(const std::string& ns,
                                   const std::string& pod,
                                   const std::string& container,
                                   const log_options& how,
                                   log_sink to) override {
    asked = ns + "/" + pod + "/" + container;
    options = how;
    send = std::move(to.chunk);
    finish = std::move(to.end);
    is_ready = std::move(to.is_ready);
    return [this] { ++cancelled; };
  }

  std::string asked;
  log_options options;
  std::function<bool(std::string)> send;
  std::function<bool()> is_ready;
  std::function<void(result<nothing>)> finish;
  int cancelled = 0;
};

struct answer_recorder : http::response_writer {
  void reply(http::response r) override { answer = std::move(r); }
  void start(http::response r) override {
    ++starts;
    answer = std::move(r);
  }
  void write(std::string piece) override { text += piece; }
  void finish() override { over = true; }
  void on_disconnect(std::function<void()> g) override { gone = std::move(g); }

  std::string message() const {
    return text_at(json::parse(answer.body), {"message"});
  }

  http::response answer;
  int starts = 0;
  std::string text;
  bool over = false;
  std::function<void()> gone;
};

json pod_of(const std::string& name, std::vector<const char*> containers,
            std::vector<const char*> init = {}) {
  auto p = pod(name);
  p["spec"]["containers"].clear();
  for (const auto* c : containers)
    p["spec"]["containers"].push_back({{"name", c}, {"image", "i"}});
  for (const auto* c : init)
    p["spec"]["initContainers"].push_back({{"name", c}, {"image", "i"}});
  return p;
}

struct log_fixture : server_fixture {
  log_fixture() {
    core.set_log_source(&logs);
    post(pods, pod_of("one", {"c"}, {"i"}));
    post(pods, pod_of("two", {"c", "d"}, {"i"}));
  }

  /// GET of PATH below the pods.
  std::shared_ptr<answer_recorder> read(const std::string& path) {
    auto x = std::make_shared<answer_recorder>();
    logs.asked.clear();
    core.serve(request("GET", pods + "/" + path), x);
    return x;
  }

  recording_log logs;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(the_only_container_needs_no_name, log_fixture) {
  struct row {
    const char* path;
    const char* asked; ///< Of the source, "" for nothing.
    int status;
    const char* message;
  };
  // clang-format off
  const row rows[] = {
      {"one/log", "default/one/c", 200, ""},
      {"one/log?container=i", "default/one/i", 200, ""},
      {"two/log?container=d", "default/two/d", 200, ""},
      {"two/log", "", 400, "a container name must be specified for pod two, choose one of: [c d i]"},
      {"two/log?container=e", "", 400, "container e is not valid for pod two"},
      {"none/log", "", 404, "pods \"none\" not found"},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto x = read(r.path);
    BOOST_TEST(x->answer.status == r.status, r.path);
    BOOST_TEST(logs.asked == r.asked, r.path);
    if (r.status != 200)
      BOOST_TEST(x->message() == r.message, r.path);
  }
}

BOOST_FIXTURE_TEST_CASE(the_query_says_what_to_show, log_fixture) {
  struct row {
    const char* query;
    const char* shown; ///< follow previous timestamps tail limit since.
  };
  // clang-format off
  const row rows[] = {
      {"", "000 - - -"},
      {"?follow=true", "100 - - -"},
      {"?previous=true", "010 - - -"},
      {"?timestamps=true", "001 - - -"},
      {"?follow=false", "000 - - -"},
      {"?tailLines=3", "000 3 - -"},
      {"?tailLines=0", "000 0 - -"},
      {"?limitBytes=9", "000 - 9 -"},
      {"?sinceSeconds=60", "000 - - 60"},
      {"?sinceSeconds=9223372036854775807", "000 - - 3155760000"}, // A century.
      {"?sinceTime=2025-12-31T23:58:00Z", "000 - - 120"},
  };
  // clang-format on
  for (const auto& r : rows) {
    read(std::string("one/log") + r.query);
    BOOST_REQUIRE(logs.asked == "default/one/c");
    const auto& o = logs.options;
    auto text = [](auto n) { return n ? std::to_string(*n) : "-"; };
    auto since = o.since ? std::to_string(o.since->count()) : "-";
    auto shown = std::string{o.follow ? "1" : "0"} + (o.previous ? "1" : "0")
                 + (o.timestamps ? "1" : "0") + " " + text(o.tail_lines) + " "
                 + text(o.limit_bytes) + " " + since;
    BOOST_TEST(shown == r.shown, r.query);
  }
}

BOOST_FIXTURE_TEST_CASE(a_query_that_makes_no_sense_is_refused, log_fixture) {
  struct row {
    const char* query;
    int status;
    const char* says;
  };
  // clang-format off
  const row rows[] = {
      {"?tailLines=x", 400, "tailLines"},
      {"?tailLines=3x", 400, "tailLines"},
      {"?limitBytes=99999999999999999999", 400, "limitBytes"},
      {"?sinceTime=yesterday", 400, "sinceTime"},
      {"?tailLines=-1", 422, "tailLines: Invalid value: -1: must be greater than or equal to 0"},
      {"?limitBytes=0", 422, "limitBytes: Invalid value: 0: must be greater than or equal to 1"},
      {"?sinceSeconds=0", 422, "sinceSeconds: Invalid value: 0: must be greater than or equal to 1"},
      {"?sinceSeconds=1&sinceTime=2025-12-31T23:58:00Z", 422, "at most one of `sinceTime` or `sinceSeconds` may be specified"},
  };
  // clang-format on
  for (const auto& r : rows) {
    auto x = read(std::string("one/log") + r.query);
    BOOST_TEST(x->answer.status == r.status, r.query);
    BOOST_TEST(logs.asked == "", r.query);
    BOOST_REQUIRE(!x->answer.body.empty());
    BOOST_TEST(x->message().find(r.says) != std::string::npos, x->message());
  }
}

BOOST_FIXTURE_TEST_CASE(a_log_is_streamed_as_text, log_fixture) {
  auto x = read("one/log");
  BOOST_TEST(x->starts == 0); // It may still be refused.
  logs.send("a\n");
  logs.send("b\n");
  BOOST_TEST(x->starts == 1);
  BOOST_TEST(x->answer.content_type == "text/plain");
  BOOST_TEST(x->text == "a\nb\n");
  BOOST_TEST(!x->over);
  logs.finish(nothing{});
  BOOST_TEST(x->over);
}

BOOST_FIXTURE_TEST_CASE(an_empty_log_is_no_error, log_fixture) {
  auto x = read("one/log");
  logs.finish(nothing{});
  BOOST_TEST(x->starts == 1);
  BOOST_TEST(x->answer.status == 200);
  BOOST_TEST(x->over);
}

BOOST_FIXTURE_TEST_CASE(a_failure_is_an_answer_before_the_first_piece_only,
                        log_fixture) {
  auto x = read("one/log");
  logs.finish(failure{ec::not_found, "no process"});
  BOOST_TEST(x->starts == 0);
  BOOST_TEST(x->answer.status == 400);
  BOOST_TEST(x->message() == "no process");
  x = read("one/log");
  logs.send("a\n");
  logs.finish(failure{ec::not_found, "no process"});
  BOOST_TEST(x->answer.status == 200);
  BOOST_TEST(x->text == "a\n");
  BOOST_TEST(x->over);
}

BOOST_FIXTURE_TEST_CASE(a_client_that_leaves_ends_the_reading, log_fixture) {
  auto x = read("one/log?follow=true");
  BOOST_REQUIRE(x->gone);
  BOOST_TEST(logs.cancelled == 0);
  x->gone();
  BOOST_TEST(logs.cancelled == 1);
}

BOOST_FIXTURE_TEST_CASE(without_a_node_there_are_no_logs, log_fixture) {
  core.set_log_source(nullptr);
  auto x = read("one/log");
  BOOST_TEST(x->answer.status == 400);
  BOOST_TEST(x->message()
             == "container \"c\" in pod \"one\" has no log: no node "
                "keeps logs");
}

BOOST_AUTO_TEST_SUITE_END()
