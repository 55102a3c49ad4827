#include "actors/metrics/metrics.hpp"
#include "actors/metrics/scraper.hpp"
#include "tests/actors/cluster_fixture.hpp"
#include "tests/actors/metric_value.hpp"
#include "tests/actors/single_actor_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(actor_metrics_test)

namespace {

std::string value(const json& report, const std::string& series) {
  return text_of_series(metrics{}.exposition_text({}, report), series);
}

json root_with(json children) {
  return {{"actor", "root"}, {"mailbox", 1}, {"children", children}};
}

/// Keeps the answer to a scrape.
struct kept_answer : k8s::http::response_writer {
  std::vector<k8s::http::response> responses;

  void reply(k8s::http::response r) override {
    responses.push_back(std::move(r));
  }
  void start(k8s::http::response) override {}
  void write(std::string) override {}
  void finish() override {}
  void on_disconnect(std::function<void()>) override {}
};

/// The root's reply to get_report.
json report_of(cluster_fixture& s) {
  caf::scoped_actor self{s.op.system()};
  self->send(s.op.root, get_report{});
  s.op.run_until_idle();
  json result;
  self->receive([&](const report_ptr& r) { result = *r; });
  return result;
}

} // namespace

BOOST_AUTO_TEST_CASE(gateways_are_added_up) {
  json one{{"actor", "gateway"},  {"mailbox", 3},       {"underWay", 2},
           {"window", 16},        {"waiting", 5},       {"waitingEvents", 7},
           {"waitingStreams", 1}, {"serverAway", false}};
  json two{{"actor", "gateway"},  {"mailbox", 4},      {"underWay", 1},
           {"window", 8},         {"waiting", 0},      {"waitingEvents", 1},
           {"waitingStreams", 0}, {"serverAway", true}};
  auto report = root_with({one, two});
  const std::pair<const char*, const char*> rows[] = {
      {"troupe_actor_mailbox_messages{actor=\"gateway\"}", "7"},
      {"troupe_actor_mailbox_messages{actor=\"root\"}", "1"},
      {"troupe_actors_unresponsive", "0"},
      {"troupe_api_calls_in_flight", "3"},
      {"troupe_api_calls_window", "24"},
      {"troupe_api_calls_waiting{type=\"call\"}", "5"},
      {"troupe_api_calls_waiting{type=\"event\"}", "8"},
      {"troupe_api_calls_waiting{type=\"watch\"}", "1"},
      {"troupe_api_server_unavailable", "1"},
  };
  for (const auto& [series, expected] : rows)
    BOOST_TEST(value(report, series) == expected, series);
}

BOOST_AUTO_TEST_CASE(the_lag_of_a_resource_is_that_of_its_oldest_watch) {
  auto watch = [](const char* resource, json seconds) {
    return json{{"actor", "watcher"},
                {"mailbox", 0},
                {"resource", resource},
                {"secondsBehind", std::move(seconds)}};
  };
  auto report = root_with({watch("pods", 1.5), watch("pods", 40),
                           watch("services", 0), watch("roles", nullptr)});
  auto lag = [&](const char* resource) {
    return value(report, std::string{"troupe_watch_lag_seconds{resource=\""}
                             + resource + "\"}");
  };
  BOOST_TEST(lag("pods") == "40");
  BOOST_TEST(lag("services") == "0");
  BOOST_TEST(lag("roles") == ""); // Nothing was listed.
}

BOOST_AUTO_TEST_CASE(an_actor_without_a_report_is_unresponsive) {
  json silent{{"actor", "silent"}};
  auto report = root_with({silent, silent});
  BOOST_TEST(value(report, "troupe_actors_unresponsive") == "2");
  BOOST_TEST(value(nullptr, "troupe_actors_unresponsive") == "1");
  BOOST_TEST(value(nullptr, "troupe_api_calls_window") == "");
}

BOOST_AUTO_TEST_CASE(a_running_operator_reports_all_that_is_exposed) {
  cluster_fixture s;
  s.make("tfjobs", tf_job(2));
  s.op.advance(7s);
  auto report = report_of(s);
  for (const char* actor : {"root", "gateway", "server-probe", "event-recorder",
                            "watcher", "directory"})
    BOOST_TEST(
        value(report, std::string{"troupe_actor_mailbox_messages{actor=\""}
                          + actor + "\"}")
            == "0",
        actor);
  BOOST_TEST(value(report, "troupe_actors_unresponsive") == "0");
  BOOST_TEST(value(report, "troupe_api_calls_in_flight") == "0");
  BOOST_TEST(value(report, "troupe_api_calls_window") != "");
  BOOST_TEST(value(report, "troupe_watch_lag_seconds{resource=\"services\"}")
             == "7");
  // Supervisors are not asked: there may be ten thousand.
  BOOST_TEST(
      value(report, "troupe_actor_mailbox_messages{actor=\"job-supervisor\"}")
      == "");
  // The tree contains them, with their mailboxes.
  auto tree = s.op.request_report();
  const auto& directory = tree->at("children").back();
  BOOST_TEST(directory["actor"] == "directory");
  BOOST_TEST(directory["children"][0]["mailbox"] == 0);
  BOOST_TEST(directory["children"][0]["children"][0]["mailbox"] == 0);
}

BOOST_AUTO_TEST_CASE(a_question_with_priority_finds_the_messages_that_wait) {
  cluster_fixture s;
  caf::scoped_actor self{s.op.system()};
  // The root forwards these to nobody.
  for (int i = 0; i < 5; ++i)
    self->send(s.op.root, timer_fired{0});
  self->send<caf::message_priority::high>(s.op.root, get_report{});
  s.op.run_until_idle();
  self->receive(
      [&](const report_ptr& r) { BOOST_TEST(r->at("mailbox") == 5); });
}

BOOST_AUTO_TEST_CASE(a_scrape_is_answered_although_an_actor_hangs) {
  for (bool responds : {true, false}) {
    single_actor_fixture f;
    auto root = f.spawn([=](caf::event_based_actor* self) -> caf::behavior {
      return {[=](get_report) {
        auto promise = self->make_response_promise();
        if (responds)
          promise.deliver(std::make_shared<const json>(root_with({})));
        return promise;
      }};
    });
    auto subject = f.spawn(scraper, caf::actor_cast<root_actor>(root),
                           std::shared_ptr<const metrics>{f.context->counters},
                           f.context->clock);
    auto answer = std::make_shared<kept_answer>();
    f.send(subject, scrape{answer});
    BOOST_TEST(answer->responses.size() == (responds ? 1u : 0u));
    f.advance(1s);
    BOOST_REQUIRE(answer->responses.size() == 1u);
    const auto& response = answer->responses.front();
    BOOST_TEST(response.status == 200);
    BOOST_TEST(response.content_type
               == "text/plain; version=0.0.4; charset=utf-8");
    BOOST_TEST(text_of_series(response.body, "troupe_actors_unresponsive")
               == (responds ? "0" : "1"));
    BOOST_TEST(text_of_series(response.body, "created_pods_total") == "0");
  }
}

BOOST_AUTO_TEST_SUITE_END()
