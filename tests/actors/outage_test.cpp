// What the operator does while the API server is down, and afterwards.
#include "actors/process/health_monitor.hpp"
#include "k8s/text.hpp"
#include "tests/actors/cluster_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace troupe;
using namespace troupe::fixtures;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(outage_test)

namespace {

struct outage_fixture : cluster_fixture {
  json job(const char* name) {
    return manifest_of(
        "TFJob",
        {{"tfReplicaSpecs", {{"Worker", replica_spec(2, "tensorflow")}}}},
        name);
  }

  void come_back(bool versions_lost) {
    api->down = false;
    if (versions_lost)
      api->restart_storage();
  }

  int count_calls(const std::string& verb) {
    int n = 0;
    for (const auto& [what, times] : api->calls)
      if (what.rfind(verb + " ", 0) == 0)
        n += times;
    return n;
  }

  int lists() { return count_calls("list"); }

  /// Of all objects of a resource.
  int complete_lists() {
    auto text = op.counters->exposition_text(op.wall_clock(), nullptr);
    int n = 0;
    for (const auto& line : k8s::split_without_empty_parts(text, '\n'))
      if (line.rfind("troupe_relists_total{", 0) == 0)
        n += std::stoi(line.substr(line.rfind(' ')));
    return n;
  }

  bool all_watch() {
    auto all = reports("watcher");
    return std::all_of(all.begin(), all.end(),
                       [](const json& w) { return w["state"] == "watching"; });
  }

  /// Runs until idle; calls about the resource fail, as without the right.
  void run_with_failures_of(const std::string& resource,
                            k8s::ec code = k8s::ec::forbidden) {
    refusals += run_failing(
        [&](const k8s::request& r) { return r.resource == resource; },
        {code, "not " + resource});
  }

  int refusals = 0;
};

} // namespace

BOOST_AUTO_TEST_CASE(a_job_made_after_an_outage_has_its_pods_at_once) {
  for (auto down : {500ms, 5'000ms, 60'000ms, 120'000ms})
    for (bool versions_lost : {false, true}) {
      outage_fixture s;
      s.make("tfjobs", s.job("old"));
      s.restart(); // Lists have a version.
      s.op.advance(10s);
      auto watchers = static_cast<int>(s.reports("watcher").size());
      auto before = s.lists();
      auto complete_before = s.complete_lists();
      s.api->shut_down();
      s.op.advance(down);
      s.come_back(versions_lost);
      s.api->create("tfjobs", s.job("new"));
      s.op.advance(1s);
      BOOST_TEST_CONTEXT("down for " << down.count() << " ms, versions_lost "
                                     << versions_lost) {
        BOOST_TEST(s.count("pods") == 4u);
        BOOST_TEST(s.all_watch());
        auto complete = s.complete_lists() - complete_before;
        BOOST_TEST(complete <= (versions_lost ? watchers : 0));
        // One object each, for the server's version.
        BOOST_TEST(s.lists() - before - complete <= watchers);
      }
    }
}

BOOST_AUTO_TEST_CASE(orders_that_met_an_outage_do_not_wait_longer_than_it) {
  outage_fixture s;
  s.api->create("tfjobs", s.job("job"));
  s.api->deliver_all();
  s.op.run_messages(); // Creations wait at the gateway.
  s.api->shut_down();
  s.op.advance(90s);
  s.come_back(true);
  s.op.advance(1s);
  BOOST_TEST(s.count("pods") == 2u);
  BOOST_TEST(s.count("services") == 2u);
  BOOST_TEST(s.events("SuccessfulCreatePod") == 2u);
}

BOOST_AUTO_TEST_CASE(a_status_that_met_an_outage_is_written_after_it) {
  outage_fixture s;
  s.make("tfjobs", s.job("job"));
  s.op.advance(5s);
  s.api->change("pods", "ns/job-worker-0", [](json& p) {
    p["status"] = {{"phase", "Succeeded"},
                   {"containerStatuses",
                    {{{"name", "tensorflow"},
                      {"state", {{"terminated", {{"exitCode", 0}}}}}}}}};
  });
  s.api->deliver_all();
  s.op.run_messages(); // The write waits at the gateway.
  s.api->shut_down();
  s.op.advance(90s);
  s.come_back(true);
  s.op.advance(1s);
  BOOST_TEST(s.get("tfjobs", "job")["status"].dump().find("Succeeded")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(only_the_probe_calls_a_server_that_is_down) {
  outage_fixture s;
  s.make("tfjobs", s.job("job"));
  s.op.advance(10s);
  s.api->shut_down();
  s.op.advance(2s); // Every watcher has met it.
  auto before = s.api->refused_while_down;
  s.op.advance(60s);
  auto asked = s.api->refused_while_down - before;
  // 60 s / 250..500 ms.
  BOOST_TEST(asked >= 120);
  BOOST_TEST(asked <= 240);
  auto gateway = s.reports("gateway").at(0);
  BOOST_TEST(gateway["serverAway"] == true);
  s.come_back(false);
  s.op.advance(1s);
  auto probes = s.api->calls["get readyz"];
  BOOST_TEST(probes >= 1);
  s.op.advance(1h); // No failure, no probe.
  BOOST_TEST(s.api->calls["get readyz"] == probes);
}

BOOST_AUTO_TEST_CASE(a_server_that_never_failed_is_not_probed) {
  outage_fixture s;
  s.make("tfjobs", s.job("job"));
  s.op.advance(1h);
  BOOST_TEST(s.api->calls["get readyz"] == 0);
}

BOOST_AUTO_TEST_CASE(a_server_that_serves_but_never_is_ready_is_tried) {
  outage_fixture s;
  s.make("tfjobs", s.job("old"));
  s.op.advance(10s);
  s.api->shut_down();
  s.op.advance(60s);
  s.api->ready = false; // A load balancer that blocks /readyz.
  s.come_back(true);
  s.api->create("tfjobs", s.job("new"));
  s.op.advance(11s);
  BOOST_TEST(s.count("pods") == 4u);
  BOOST_TEST(s.all_watch());
  auto probes = s.api->calls["get readyz"];
  s.op.advance(1min);
  BOOST_TEST(s.api->calls["get readyz"] == probes);
}

BOOST_AUTO_TEST_CASE(a_server_that_is_starting_gets_no_calls) {
  for (auto code : {k8s::ec::overloaded, k8s::ec::forbidden}) {
    outage_fixture s;
    s.make("tfjobs", s.job("old"));
    s.op.advance(10s);
    s.api->shut_down();
    s.op.advance(57s);
    s.api->ready = false; // It has not read its definitions yet.
    s.api->not_ready = code;
    s.come_back(true);
    s.api->create("tfjobs", s.job("new"));
    auto before = s.count_calls("list") + s.count_calls("watch");
    s.op.advance(4s);
    BOOST_TEST(s.count_calls("list") + s.count_calls("watch") == before);
    s.api->ready = true;
    s.op.advance(1s);
    BOOST_TEST(s.count("pods") == 4u);
  }
}

BOOST_AUTO_TEST_CASE(an_operator_started_before_the_server_becomes_ready) {
  auto api = std::make_shared<fake_api>();
  operator_fixture op{api};
  api->down = true;
  op.start();
  op.advance(90s);
  BOOST_TEST(!*op.ready);
  api->down = false;
  op.advance(1s);
  BOOST_TEST(*op.ready);
}

BOOST_AUTO_TEST_CASE(lists_after_a_restart_are_spread) {
  outage_fixture s;
  s.op.advance(10s);
  s.api->restart_storage();
  s.api->deliver_all();
  s.op.run_messages();
  auto watchers = static_cast<int>(s.reports("watcher").size());
  // None at once, and not all together.
  BOOST_TEST(s.api->pending().empty());
  auto before = s.lists();
  int most = 0;
  for (int i = 0; i < 30; ++i) {
    auto so_far = s.lists();
    s.op.advance(10ms);
    most = std::max(most, s.lists() - so_far);
  }
  BOOST_TEST(most < watchers / 2);
  BOOST_TEST(s.lists() - before == watchers);
  BOOST_TEST(s.all_watch());
}

BOOST_AUTO_TEST_CASE(a_definition_not_found_after_a_restart_keeps_the_jobs) {
  outage_fixture s;
  s.make("tfjobs", s.job("job"));
  s.op.advance(5s);
  s.api->restart_storage();
  s.api->deliver_all();
  for (int i = 0; i < 4; ++i) {
    s.op.advance_clock(1s);
    s.run_with_failures_of("tfjobs", k8s::ec::not_found);
  }
  BOOST_TEST(s.refusals > 2);
  BOOST_TEST(s.reports("directory").at(0)["jobs"] == 1u); // It is still known.
  s.api->create("tfjobs", s.job("other"));
  s.op.advance(4s);
  BOOST_TEST(s.count("pods") == 4u);
}

BOOST_AUTO_TEST_CASE(a_refused_kind_keeps_the_jobs_that_are_known) {
  outage_fixture s;
  s.make("tfjobs", s.job("job"));
  s.op.advance(5s);
  s.api->restart_storage();
  s.api->deliver_all();
  for (int i = 0; i < 20; ++i) {
    s.op.advance_clock(1s);
    s.run_with_failures_of("tfjobs");
  }
  BOOST_TEST(s.refusals > 0);
  // A pod that is gone is still replaced.
  s.api->erase("pods", "ns/job-worker-1");
  s.run_with_failures_of("tfjobs");
  s.op.run_until_idle();
  BOOST_TEST(s.count("pods") == 2u);
}

namespace {

/// What probes say of an operator.
struct probed_fixture : outage_fixture {
  std::shared_ptr<actors::shared_health> health =
      std::make_shared<actors::shared_health>(
          actors::health_record::time_point{});
  actors::health_monitor_actor monitor =
      op.system().spawn(actors::health_monitor, op.root, health);

  probed_fixture() {
    caf::anon_send(monitor, actors::timer_fired{0});
    op.advance(30s);
  }
  ~probed_fixture() {
    caf::anon_send_exit(monitor, caf::exit_reason::user_shutdown);
    op.run_messages();
  }

  /// "" while all is well for so long.
  std::string problem_within(std::chrono::seconds time) {
    for (; time > 0s; time -= 5s) {
      op.advance(5s);
      const auto& r = health->record;
      if (!r.readiness_problem().empty())
        return r.readiness_problem();
      // The clock of the test began somewhere.
      if (auto stuck = r.liveness_problem(asked_at()); !stuck.empty())
        return stuck;
    }
    return "";
  }

  /// The time of the latest report.
  actors::health_record::time_point asked_at() {
    return op.system().scheduler().clock().now();
  }
};

} // namespace

BOOST_FIXTURE_TEST_CASE(probes_do_not_mind_an_outage, probed_fixture) {
  make("tfjobs", job("a"));
  BOOST_TEST(problem_within(120s) == "");
  for (auto down : {10s, 300s, 3600s}) {
    api->shut_down();
    BOOST_TEST(problem_within(down) == "");
    come_back(true);
    BOOST_TEST(problem_within(120s) == "");
  }
}

BOOST_FIXTURE_TEST_CASE(a_watch_that_is_refused_while_calls_are_answered,
                        probed_fixture) {
  api->refused_watches = {"pods"};
  for (std::size_t i = 0; i < api->streams(); ++i)
    api->break_stream(i);
  BOOST_TEST(problem_within(55s) == "");
  auto problem = problem_within(30s);
  BOOST_TEST(problem.rfind("the API server answers, but has accepted no watch "
                           "of pods for ",
                           0)
                 == 0u,
             problem);
  api->refused_watches.clear();
  op.advance(60s); // The watcher's pause, and the monitor's.
  BOOST_TEST(problem_within(120s) == "");
}

BOOST_AUTO_TEST_SUITE_END()
